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
            TemporaryFolder folder = TemporaryFolder.create("reading");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(folder)));
            Fork.of("the journal", "512m", WriteJournal.class, folder.path().toString(), String.valueOf(steps))
                    .measure();
            return folder.path();
        } catch (IOException e) {
            throw new FigureException("no journal could be written: " + e.getMessage());
        }
    }

    private static void remove(TemporaryFolder folder) {
        try {
            folder.close();
        } catch (IOException e) {
            System.err.println("left behind: " + folder.path());
        }
    }
}
