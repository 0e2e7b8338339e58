package dev.rlm.journal.format;

import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.ArtifactSavedBuilder;
import dev.rlm.sinks.event.FileContent;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files that a writer keeps for its runs, in {@code artifacts/} of its folder, each named by the SHA-256 of its bytes. */
public final class ArtifactFiles {
    /** The name of their folder. */
    public static final String FOLDER = "artifacts";

    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern OURS = Pattern.compile(HASH + "(\\.tmp)?");
    private static final int MAX_SIZE = 64 << 20;

    private ArtifactFiles() {}

    /** Deletes all files of a writer that has ended; how many bytes that freed. */
    public static long deleteAll(Path writer) throws IOException {
        long freed = 0;
        for (Path file : ours(writer)) {
            freed += PrivateFiles.delete(file);
        }
        Path folder = writer.resolve(FOLDER);
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                && files(folder).isEmpty()) {
            Files.delete(folder);
        }
        return freed;
    }

    /** Deletes all files of a writer that has ended but those with these hashes; how many there were. */
    public static int deleteAllBut(Path writer, Set<String> hashes) throws IOException {
        int deleted = 0;
        for (Path file : ours(writer)) {
            if (!hashes.contains(file.getFileName().toString()) && PrivateFiles.isFile(file)) {
                PrivateFiles.delete(file);
                deleted++;
            }
        }
        return deleted;
    }

    /** Returns the hashes of the files that a writer keeps. */
    public static Set<String> hashes(Path writer) throws IOException {
        return ours(writer).stream()
                .map(file -> file.getFileName().toString())
                .filter(name -> HASH.matcher(name).matches())
                .collect(Collectors.toSet());
    }

    private static List<Path> ours(Path writer) throws IOException {
        return files(writer.resolve(FOLDER)).stream()
                .filter(ArtifactFiles::isOurs)
                .toList();
    }

    /** Returns whether a file in that folder is of the journal, by its name. */
    public static boolean isOurs(Path file) {
        return OURS.matcher(String.valueOf(file.getFileName())).matches();
    }

    /** A writer's files, and those that it keeps for its runs. */
    public static List<Path> with(Path writer, List<Path> files) throws IOException {
        List<Path> all = new ArrayList<>(files);
        all.addAll(files(writer.resolve(FOLDER)));
        return all;
    }

    private static List<Path> files(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    /** The event with its bytes, where they are kept in that writer's folder; they are read when they are asked for. */
    public static ArtifactSaved read(Path writer, ArtifactSaved event) {
        String hash = event.sha256();
        Path folder = writer.resolve(FOLDER);
        if (!HASH.matcher(hash).matches()
                || !event.path().equals(FOLDER + "/" + hash)
                || Files.isSymbolicLink(folder)) {
            return event;
        }
        long size = event.size();
        return ArtifactSavedBuilder.builder(event)
                .content(new FileContent((int) Math.min(size, MAX_SIZE), () -> bytes(folder.resolve(hash), size)))
                .build();
    }

    private static byte[] bytes(Path file, long size) throws IOException {
        byte[] bytes;
        try (InputStream in = Channels.newInputStream(PrivateFiles.open(file, StandardOpenOption.READ))) {
            bytes = in.readNBytes(MAX_SIZE);
        } catch (IOException e) {
            throw new IOException("missing", e);
        }
        if (bytes.length != size) {
            throw new IOException("damaged");
        }
        return bytes;
    }
}
