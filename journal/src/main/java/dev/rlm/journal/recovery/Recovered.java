package dev.rlm.journal.recovery;

import java.nio.file.Path;
import java.util.List;

/**
 * Result of a {@link Recovery}.
 *
 * @param writers number of writers that had died and left something to do
 * @param runs number of runs that were given an end because their process had died
 * @param living number of writers that were left alone, because they live or another recovery is at them
 * @param damagedLines number of unreadable lines in the records of those that had died, which were passed over; bytes
 *     that were set aside are not among them
 * @param setAside bytes that killed writers had left behind their last whole lines
 * @param problems things that could not be done; a line each
 */
public record Recovered(
        int writers, int runs, int living, long damagedLines, List<SetAside> setAside, List<String> problems) {
    public Recovered {
        setAside = List.copyOf(setAside);
        problems = List.copyOf(problems);
    }

    /** Returns whether there was nothing to do. */
    public boolean isNothing() {
        return writers == 0 && setAside.isEmpty() && problems.isEmpty();
    }

    /**
     * Bytes that were no whole line and were cut off.
     *
     * @param file file that keeps them
     */
    public record SetAside(Path file, long bytes) {}
}
