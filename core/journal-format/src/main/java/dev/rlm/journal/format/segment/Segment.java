package dev.rlm.journal.format.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One of a writer's files of events: {@code events-<n>.jsonl} while it may grow, {@code events-<n>.jsonl.zst} once it
 * is closed and compressed. Where both are there the plain one counts: the other may not be whole yet. Something with
 * such a name that is no regular file is no segment, and is never opened.
 */
public record Segment(Path folder, int number) {
    private static final Pattern NAME = Pattern.compile("events-(\\d{1,9})\\.jsonl(?:\\.zst)?");

    /** A writer's segments in the order of their numbers; none where its folder is gone. */
    public static List<Segment> of(Path folder) throws IOException {
        return of(folder, impostor -> {});
    }

    /** {@link #of(Path)}, which also tells of {@linkplain #impostors what is none}. */
    public static List<Segment> of(Path folder, Consumer<Path> impostors) throws IOException {
        TreeMap<Integer, Segment> segments = new TreeMap<>();
        for (Path file : named(folder)) {
            if (PrivateFiles.isFile(file)) {
                Segment segment = new Segment(folder, numberOf(file));
                segments.put(segment.number(), segment);
            } else if (PrivateFiles.isOther(file)) {
                impostors.accept(file);
            }
        }
        return List.copyOf(segments.values());
    }

    /** Returns what has a segment's name and is no regular file, sorted; empty if the folder is gone. */
    public static List<Path> impostors(Path folder) throws IOException {
        return named(folder).stream().filter(PrivateFiles::isOther).sorted().toList();
    }

    /** The number that comes after all that are taken, be it by a segment or by something else. */
    public static int nextNumber(Path folder) throws IOException {
        return named(folder).stream().mapToInt(Segment::numberOf).max().orElse(0) + 1;
    }

    private static List<Path> named(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> name(file).matches()).toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    private static Matcher name(Path file) {
        return NAME.matcher(String.valueOf(file.getFileName()));
    }

    private static int numberOf(Path file) {
        Matcher name = name(file);
        return name.matches() ? Integer.parseInt(name.group(1)) : 0;
    }

    /** The file while it may grow. */
    public Path plain() {
        return folder.resolve("events-" + number + ".jsonl");
    }

    /** The file once it is compressed. */
    public Path compressed() {
        return folder.resolve("events-" + number + ".jsonl.zst");
    }

    /** Returns whether the segment's file is there, plain or compressed. */
    public boolean exists() {
        return PrivateFiles.isFile(plain()) || PrivateFiles.isFile(compressed());
    }

    /** The file that counts now. */
    public Path file() {
        return PrivateFiles.isFile(plain()) || !PrivateFiles.isFile(compressed()) ? plain() : compressed();
    }

    /**
     * Hands over every line from the offset on that has its line feed. Offsets are of the plain text: a reader goes on
     * where it was, also after the file was compressed. Of a file that is gone nothing is read.
     *
     * @throws DamagedFileException if the rest of a compressed file cannot be read
     */
    public LineFile.Position read(long offset, LineFile.Lines lines) throws IOException {
        return read(offset, lines, LineFile.Lines.NONE);
    }

    /** {@link #read(long, LineFile.Lines)}, which then hands over what stands behind the last line feed, if anything does. */
    public LineFile.Position read(long offset, LineFile.Lines lines, LineFile.Lines rest) throws IOException {
        return read(offset, lines.ofBlocks(), rest);
    }

    /** The same, many lines at a time. */
    public LineFile.Position read(long offset, LineFile.Blocks blocks, LineFile.Lines rest) throws IOException {
        try {
            return LineFile.readPlain(plain(), offset, blocks, rest);
        } catch (NoSuchFileException | NotRegularFileException e) {
            return readCompressed(offset, blocks, rest);
        }
    }

    private LineFile.Position readCompressed(long offset, LineFile.Blocks blocks, LineFile.Lines rest)
            throws IOException {
        try {
            return LineFile.readCompressed(compressed(), offset, blocks, rest);
        } catch (NoSuchFileException e) {
            return new LineFile.Position(offset, false); // its writer has given it up since it was listed
        }
    }

    @Override
    public String toString() {
        return file().toString();
    }
}
