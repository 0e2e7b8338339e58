package dev.rlm.sinks.jsonl;

import java.util.List;

/**
 * What came of a {@link RunDeletion}.
 *
 * @param runs how many it was to delete
 * @param lines how many lines went, wherever they stood
 * @param damagedLines how many of these are damaged and name one of the runs
 * @param doubtful how many damaged lines stay, beside those of the runs, of which nobody can tell whose they are
 * @param files how many files went that the runs kept
 * @param folders how many folders were changed
 * @param interrupted whether it was stopped before all was done
 * @param problems what could not be done; a line each
 */
public record RunsDeleted(
        int runs,
        long lines,
        long damagedLines,
        long doubtful,
        int files,
        int folders,
        boolean interrupted,
        List<String> problems) {
    public RunsDeleted {
        problems = List.copyOf(problems);
    }

    /** Returns whether nothing of the runs is left where it looked. */
    public boolean isComplete() {
        return !interrupted && problems.isEmpty();
    }
}
