package dev.rlm.journal.maintenance;

import java.util.List;

/**
 * Result of a {@link RunDeletion}.
 *
 * @param runs number of runs that it was to delete
 * @param lines number of lines that went, wherever they stood
 * @param damagedLines number of these that are damaged and name one of the runs
 * @param doubtful number of damaged lines that stay because their run cannot be determined
 * @param files number of files kept by the runs that went
 * @param folders number of folders that were changed
 * @param interrupted whether it was stopped before all was done
 * @param problems things that could not be done; a line each
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
