package dev.rlm.journal.exchange;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.jsonl.RunSummary;
import dev.rlm.sinks.jsonl.Verdict;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts what was written and what was left out, with the reasons. */
final class Exported {
    /** Why a run is left out that has not ended. */
    static final String RUNNING = "running";

    private final Map<String, Long> leftOut = new LinkedHashMap<>();
    private int runs;
    private long records;

    /** A run was written, in so many records. */
    void run(long count) {
        written(1, count);
    }

    /** So many runs were written, in so many records. */
    void written(int moreRuns, long moreRecords) {
        runs += moreRuns;
        records += moreRecords;
    }

    /** A run, or a record of one, was left out. */
    void leftOut(String reason) {
        leftOut(reason, 1);
    }

    void leftOut(String reason, long count) {
        if (count > 0) {
            leftOut.merge(reason, count, Long::sum);
        }
    }

    int runs() {
        return runs;
    }

    long records() {
        return records;
    }

    Map<String, Long> leftOut() {
        return leftOut;
    }

    /** The run's total reward, late ones included; {@code null} where means may not use it. */
    static @Nullable Double reward(RunSummary run) {
        RunEnded end = run.end();
        boolean usable =
                end != null && end.outcome().isOwnEnd() && run.rewards().isUsable();
        return usable ? (Double) run.totalReward() : null;
    }

    /** Whether the run is solved; {@code null} where that is undecided. */
    static @Nullable Boolean solved(RunSummary run) {
        return run.verdict() == Verdict.UNDECIDED ? null : (Boolean) run.isSolved();
    }
}
