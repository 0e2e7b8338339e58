package dev.rlm.benchmarks.rest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Activity of the threads of this process since their start, as Linux counts it: to the nanosecond.
 *
 * @param threads by number
 */
record Activity(Map<String, OfThread> threads) {
    private static final Path TASKS = Path.of("/proc/self/task");

    static Activity now() throws IOException {
        Map<String, OfThread> all = new HashMap<>();
        List<Path> tasks;
        try (Stream<Path> listed = Files.list(TASKS)) {
            tasks = listed.toList();
        }
        for (Path task : tasks) {
            try {
                all.put(task.getFileName().toString(), read(task));
            } catch (NoSuchFileException e) {
                // it has just ended
            }
        }
        return new Activity(all);
    }

    private static OfThread read(Path task) throws IOException {
        String[] figures = Files.readString(task.resolve("schedstat")).strip().split(" ", -1);
        String name = Files.readString(task.resolve("comm")).strip();
        return new OfThread(name, Long.parseLong(figures[0]), Long.parseLong(figures[2]));
    }

    /** Returns the activity of each thread since then; those that did nothing are left out. */
    List<OfThread> since(Activity before) {
        return threads.entrySet().stream()
                .map(entry -> entry.getValue().minus(before.threads.get(entry.getKey())))
                .filter(thread -> thread.times() > 0)
                .toList();
    }

    /**
     * Activity of one thread.
     *
     * @param name the first 15 characters of it
     * @param nanos on a processor
     * @param times number of times it was given one
     */
    record OfThread(String name, long nanos, long times) {
        OfThread minus(@Nullable OfThread before) {
            return before == null ? this : new OfThread(name, nanos - before.nanos, times - before.times);
        }
    }
}
