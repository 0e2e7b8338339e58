package dev.rlm.sinks.jsonl;

import java.nio.file.Path;
import java.util.List;

/**
 * What a {@link Recovery} found and did.
 *
 * @param writers how many writers had died of which something was left to do
 * @param runs how many runs were given an end because their process had died
 * @param living how many writers were left alone, because they live or because another recovery is at them
 * @param damagedLines how many lines in the records of those that had died cannot be read, and were passed over; what was
 *     set aside is not among them
 * @param setAside what killed writers had left behind their last whole lines
 * @param problems what could not be done; a line each
 */
public record Recovered(
        int writers, int runs, int living, long damagedLines, List<SetAside> setAside, List<String> problems) {
    public Recovered {
        setAside = List.copyOf(setAside);
        problems = List.copyOf(problems);
    }

    /** Whether there was nothing to do. */
    public boolean isNothing() {
        return writers == 0 && setAside.isEmpty() && problems.isEmpty();
    }

    /**
     * Bytes that were no whole line and were cut off.
     *
     * @param file where they are kept
     */
    public record SetAside(Path file, long bytes) {}
}
