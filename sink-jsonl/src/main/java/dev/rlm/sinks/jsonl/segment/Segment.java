package dev.rlm.sinks.jsonl.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One of a writer's files of events: {@code events-<n>.jsonl} while it may grow, {@code events-<n>.jsonl.zst} once it is
 * closed and compressed. Where both are there the plain one counts: the other may not be whole yet.
 */
public record Segment(Path folder, int number) {
    private static final Pattern NAME = Pattern.compile("events-(\\d{1,9})\\.jsonl(?:\\.zst)?");

    /** A writer's segments in the order of their numbers; none where its folder is gone. */
    public static List<Segment> of(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            TreeMap<Integer, Segment> segments = new TreeMap<>();
            files.map(Path::getFileName)
                    .map(name -> NAME.matcher(name.toString()))
                    .filter(Matcher::matches)
                    .map(name -> new Segment(folder, Integer.parseInt(name.group(1))))
                    .forEach(segment -> segments.put(segment.number(), segment));
            return List.copyOf(segments.values());
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    /** The number that comes after those of all the segments. */
    public static int nextNumber(Collection<Segment> segments) {
        return segments.stream().mapToInt(Segment::number).max().orElse(0) + 1;
    }

    /** The file while it may grow. */
    public Path plain() {
        return folder.resolve("events-" + number + ".jsonl");
    }

    /** The file once it is compressed. */
    public Path compressed() {
        return folder.resolve("events-" + number + ".jsonl.zst");
    }

    /** Whether there is such a file. */
    public boolean exists() {
        return Files.exists(plain()) || Files.exists(compressed());
    }

    /** The file that counts now. */
    public Path file() {
        return Files.exists(plain()) || !Files.exists(compressed()) ? plain() : compressed();
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
        } catch (NoSuchFileException e) {
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
