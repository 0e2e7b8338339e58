package dev.rlm.benchmarks.reading;

import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.figure.FigureException;
import dev.rlm.benchmarks.figure.Fork;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The journals that are read, by their steps: each is written when it is first needed, and goes with this process. */
public final class Journals {
    private static final Map<String, Path> WRITTEN = new HashMap<>();

    private Journals() {}

    /** Returns one with so many steps in one plain file. */
    public static Path of(int steps) {
        return written(steps, false);
    }

    /** Returns one with so many steps in files of the usual size, which are compressed but for the last. */
    public static Path compressed(int steps) {
        return written(steps, true);
    }

    private static synchronized Path written(int steps, boolean compressed) {
        return WRITTEN.computeIfAbsent(steps + " " + compressed, unused -> write(steps, compressed));
    }

    private static Path write(int steps, boolean compressed) {
        try {
            Path folder = TemporaryFolder.untilExit("reading").path();
            Fork.of(
                            "the journal",
                            "512m",
                            WriteJournal.class,
                            folder.toString(),
                            String.valueOf(steps),
                            String.valueOf(compressed))
                    .measure();
            return folder;
        } catch (IOException e) {
            throw new FigureException("no journal could be written: " + e.getMessage());
        }
    }
}
