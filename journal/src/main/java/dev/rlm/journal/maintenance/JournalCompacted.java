package dev.rlm.journal.maintenance;

import java.nio.file.Path;
import java.util.List;

/**
 * Result of a {@link JournalCompaction}, or of its plan.
 *
 * @param folders number of folders that go, since their lines lie in merged ones
 * @param into the merged folders
 * @param living number of folders that stay because their writers live
 * @param unrecovered number of folders of killed writers that have not been recovered
 * @param large number of folders that stay because they are large
 * @param left the others that stay, and why; a line each
 * @param interrupted whether it was stopped before all was done
 * @param problems things that could not be done; a line each
 */
public record JournalCompacted(
        int folders,
        List<Path> into,
        int living,
        int unrecovered,
        int large,
        List<String> left,
        boolean interrupted,
        List<String> problems) {
    public JournalCompacted {
        into = List.copyOf(into);
        left = List.copyOf(left);
        problems = List.copyOf(problems);
    }
}
