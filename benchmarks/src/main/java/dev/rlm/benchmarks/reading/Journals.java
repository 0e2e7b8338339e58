package dev.rlm.benchmarks.reading;

import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.figure.FigureException;
import dev.rlm.benchmarks.figure.Fork;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The journals that are read, by their steps: each is written when it is first needed, and goes with this process. */
final class Journals {
    private static final Map<Integer, Path> WRITTEN = new HashMap<>();

    private Journals() {}

    static synchronized Path of(int steps) {
        return WRITTEN.computeIfAbsent(steps, Journals::write);
    }

    private static Path write(int steps) {
        try {
            Path folder = TemporaryFolder.untilExit("reading").path();
            Fork.of("the journal", "512m", WriteJournal.class, folder.toString(), String.valueOf(steps))
                    .measure();
            return folder;
        } catch (IOException e) {
            throw new FigureException("no journal could be written: " + e.getMessage());
        }
    }
}
