package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.ArtifactSavedBuilder;
import dev.rlm.sinks.event.FileContent;
import dev.rlm.sinks.jsonl.segment.Disk;
import dev.rlm.sinks.jsonl.segment.LineFile;
import dev.rlm.sinks.jsonl.segment.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that a writer keeps for its runs, in {@code artifacts/} of its folder, each once and named by the SHA-256 of its bytes.
 * One goes when the last segment goes that may name it. Safe for use by several threads.
 */
final class Artifacts {
    static final String FOLDER = "artifacts";

    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.jsonl");
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern OURS = Pattern.compile(HASH + "(\\.tmp)?");
    private static final int MAX_SIZE = 64 << 20;
    private static final int UNACKNOWLEDGED = Integer.MAX_VALUE;

    private final JournalSettings settings;
    private final Path folder;
    private final Map<String, Integer> segments = new HashMap<>(); // the last that may name each file
    private final List<String> unacknowledged = new ArrayList<>();
    private final Map<String, Object> counts = new TreeMap<>();
    private volatile Map<String, Object> facts = Map.of(); // read by those who must not wait

    Artifacts(JournalSettings settings, Path writer) {
        this.settings = settings;
        this.folder = writer.resolve(FOLDER);
    }

    /**
     * Keeps the event's file, synced, and returns the event as it is then to be recorded: with the place, or with the reason
     * why there is none.
     *
     * @param begin makes the writer's folder
     */
    synchronized ArtifactSaved keep(ArtifactSaved event, Beginning begin) {
        FileContent content = event.content();
        if (content == null || content.absence() != null) {
            return counted(event);
        }
        String hash = content.sha256();
        try {
            begin.run();
            if (!segments.containsKey(hash) || !isThere(hash)) {
                write(hash, content.bytes());
            }
            segments.put(hash, UNACKNOWLEDGED);
            unacknowledged.add(hash);
            count("artifacts", 1);
            return ArtifactSavedBuilder.builder(event).path(FOLDER + "/" + hash).build();
        } catch (IOException e) {
            if (!counts.containsKey("artifacts_" + DiskFault.of(e).label())) {
                LOG.warn("a file cannot be kept in {}: {}; its name, size and hash are", folder, e.toString());
            }
            return counted(ArtifactSavedBuilder.builder(event)
                    .absence(DiskFault.of(e).label())
                    .build());
        }
    }

    private ArtifactSaved counted(ArtifactSaved event) {
        if (event.absence() != null) {
            count("artifacts_" + event.absence(), 1);
        }
        return event;
    }

    private void count(String name, long more) {
        counts.merge(name, more, (one, other) -> (Long) one + (Long) other);
        facts = Map.copyOf(counts);
    }

    private boolean isThere(String hash) throws IOException {
        try (InputStream found = settings.disk().read(folder.resolve(hash))) {
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private void write(String hash, ByteBuffer content) throws IOException {
        Disk disk = settings.disk();
        Path unfinished = folder.resolve(hash + ".tmp");
        disk.createFolder(folder);
        disk.delete(unfinished);
        int size = content.remaining();
        try (Disk.Output file = disk.create(unfinished)) {
            file.append(content);
            if (settings.fsync() != Fsync.NEVER) {
                file.sync();
            }
            file.rename(folder.resolve(hash));
        } catch (IOException e) {
            disk.delete(unfinished);
            throw e;
        }
        if (settings.fsync() != Fsync.NEVER) {
            disk.syncNames(folder);
        }
        count("artifact_bytes", size);
    }

    /** All events so far are in segments up to that one. */
    synchronized void acknowledged(int segment) {
        unacknowledged.forEach(hash -> segments.put(hash, segment));
        unacknowledged.clear();
    }

    /** Deletes the files that no segment behind that one names; how many bytes that freed. */
    synchronized long deleteUpTo(int segment) throws IOException {
        long freed = 0;
        for (Iterator<Map.Entry<String, Integer>> each = segments.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<String, Integer> file = each.next();
            if (file.getValue() <= segment) {
                freed += PrivateFiles.delete(folder.resolve(file.getKey()));
                each.remove();
            }
        }
        return freed;
    }

    /** Deletes all files of a writer that has ended; how many bytes that freed. */
    static long deleteAll(Path writer) throws IOException {
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
    static int deleteAllBut(Path writer, Set<String> hashes) throws IOException {
        int deleted = 0;
        for (Path file : ours(writer)) {
            if (!hashes.contains(file.getFileName().toString()) && PrivateFiles.isFile(file)) {
                PrivateFiles.delete(file);
                deleted++;
            }
        }
        return deleted;
    }

    /** Puts the files of a writer that has ended into another's folder too, where they are not there yet. */
    static void linkAll(Path writer, Path other) throws IOException {
        for (Path file : ours(writer)) {
            Path to = other.resolve(FOLDER).resolve(file.getFileName());
            if (PrivateFiles.isFile(file)
                    && HASH.matcher(to.getFileName().toString()).matches()
                    && !Files.exists(to)) {
                PrivateFiles.createFolder(other.resolve(FOLDER));
                link(file, to);
                PrivateFiles.syncNames(to);
            }
        }
    }

    /** Gives a file, which nothing will change, another name as well; where that cannot be done it is copied. */
    static void link(Path file, Path other) throws IOException {
        try {
            Files.createLink(other, file);
        } catch (UnsupportedOperationException | FileSystemException e) {
            Files.copy(file, other);
            LineFile.sync(other);
        }
    }

    private static List<Path> ours(Path writer) throws IOException {
        return files(writer.resolve(FOLDER)).stream().filter(Artifacts::isOurs).toList();
    }

    /** Returns whether a file in that folder is of the journal, by its name. */
    static boolean isOurs(Path file) {
        return OURS.matcher(String.valueOf(file.getFileName())).matches();
    }

    /** A writer's files, and those that it keeps for its runs. */
    static List<Path> with(Path writer, List<Path> files) throws IOException {
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
    static ArtifactSaved read(Path writer, ArtifactSaved event) {
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

    /** Returns how many were kept, in how many bytes that are not there twice, and how many were not, by reason. On any thread. */
    Map<String, Object> facts() {
        return facts;
    }

    /** Makes the folder that the files' folder lies in. */
    @FunctionalInterface
    interface Beginning {
        void run() throws IOException;
    }
}
