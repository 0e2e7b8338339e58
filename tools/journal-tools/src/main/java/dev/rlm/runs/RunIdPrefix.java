package dev.rlm.runs;

import dev.rlm.journal.RunSummary;
import java.util.Collections;
import java.util.List;

/**
 * Beginning of run ids that tells runs of a journal from all others.
 *
 * @param length in characters
 */
record RunIdPrefix(int length) {
    private static final int LEAST = 8;

    /** Returns that of some of the runs, which is faster than that of all. */
    static RunIdPrefix of(List<RunSummary> some, List<RunSummary> all) {
        List<String> ids = some.stream().map(RunSummary::runId).sorted().toList();
        int length = LEAST;
        for (RunSummary run : all) {
            String id = run.runId();
            int found = Collections.binarySearch(ids, id);
            int after = found < 0 ? -found - 1 : found + 1;
            int before = found < 0 ? after - 1 : found - 1;
            if (before >= 0) {
                length = Math.max(length, 1 + common(id, ids.get(before)));
            }
            if (after < ids.size()) {
                length = Math.max(length, 1 + common(id, ids.get(after)));
            }
        }
        return new RunIdPrefix(length);
    }

    private static int common(String one, String other) {
        int mismatch = 0;
        while (mismatch < one.length() && mismatch < other.length() && one.charAt(mismatch) == other.charAt(mismatch)) {
            mismatch++;
        }
        return mismatch;
    }

    /** Returns the beginning of an id by which {@code rlm show} finds its run. */
    String shorten(String id) {
        return id.length() <= length ? id : id.substring(0, length);
    }
}
