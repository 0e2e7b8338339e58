package dev.rlm.journal.format.segment;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Files left over from the compression, or the rewriting, of a segment by a process that has died. */
public final class InterruptedCompression {
    private static final Pattern UNFINISHED =
            Pattern.compile("events-\\d{1,9}\\.jsonl(\\.zst)?(\\.[0-9a-f]{8})?\\.tmp");
    private static final int CHUNK = 64 << 10;

    private InterruptedCompression() {}

    /**
     * Takes away the unfinished files that were last written before that time: a process at work on one, which needs no
     * lock, has written to it since.
     */
    public static void tidy(Path folder, Instant since) throws IOException {
        for (Path unfinished : unfinished(folder)) {
            if (Files.getLastModifiedTime(unfinished).toInstant().isBefore(since)) {
                Files.deleteIfExists(unfinished);
            }
        }
    }

    /**
     * Takes away the unfinished files, and the compressed form of segments whose plain one is still there, where that
     * tells no less. Nothing is taken away that stands nowhere else. For the holder of the writer's lock.
     */
    public static void tidy(Path folder) throws IOException {
        for (Path unfinished : unfinished(folder)) {
            Files.deleteIfExists(unfinished);
        }
        for (Segment segment : Segment.of(folder)) {
            if (PrivateFiles.isFile(segment.plain())
                    && PrivateFiles.isFile(segment.compressed())
                    && tellsNoLess(segment)) {
                Files.delete(segment.compressed());
            }
        }
    }

    private static List<Path> unfinished(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file ->
                            UNFINISHED.matcher(file.getFileName().toString()).matches())
                    .filter(PrivateFiles::isFile)
                    .toList();
        }
    }

    /** Returns whether the plain form begins with all that can be read of the compressed one. */
    private static boolean tellsNoLess(Segment segment) throws IOException {
        try (InputStream plain = new BufferedInputStream(Files.newInputStream(segment.plain()));
                InputStream compressed = new BufferedInputStream(new DecompressedFile(segment.compressed()))) {
            byte[] expected = compressed.readNBytes(CHUNK);
            while (expected.length > 0) {
                if (!Arrays.equals(expected, plain.readNBytes(expected.length))) {
                    return false;
                }
                expected = compressed.readNBytes(CHUNK);
            }
            return true;
        } catch (DamagedFileException e) {
            return true; // it was cut short, and what could be read of it is here
        }
    }
}
