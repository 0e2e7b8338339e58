package dev.rlm.journal;

import dev.rlm.sinks.jsonl.RunSummary;
import java.util.List;

/**
 * Beginning of run ids that tells the runs of a journal apart.
 *
 * @param length in characters
 */
record RunIdPrefix(int length) {
    private static final int LEAST = 8;

    static RunIdPrefix of(List<RunSummary> runs) {
        List<String> ids = runs.stream().map(run -> run.runId()).sorted().toList();
        int length = LEAST;
        for (int i = 1; i < ids.size(); i++) {
            length = Math.max(length, common(ids.get(i - 1), ids.get(i)) + 1);
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
