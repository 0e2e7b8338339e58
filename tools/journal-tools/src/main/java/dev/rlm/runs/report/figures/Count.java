package dev.rlm.runs.report.figures;

import dev.rlm.journal.index.EventRow;
import dev.rlm.sinks.event.RunEnded;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/** A number that adds up over runs: by its name in JSON and CSV, with what a run adds to it. */
public enum Count {
    /** Those of which the journal lacks events. */
    INCOMPLETE_RUNS(run -> run.summary().isIncomplete() ? 1 : 0),
    /** Those that could not be computed, late ones included. */
    ABSENT_REWARDS(run -> run.summary().rewards().absent()),
    /** Infinite ones, late ones included: no total has them, and their runs are in the means with what else they have. */
    NOT_FINITE_REWARDS(run -> rewards(run, reward -> Double.isInfinite(reward.value()))),
    /** Those outside the range that their source promises; they count all the same. */
    OUT_OF_RANGE_REWARDS(run -> rewards(run, EventRow.Reward::outOfRange)),
    /** Completed and failed ones that got a reward after their end. */
    LATE_REWARDED_RUNS(run -> isLateRewarded(run) ? 1 : 0),
    /** Those of them that had none before. */
    ONLY_LATE_REWARDED_RUNS(run -> isLateRewarded(run) && !hadReward(run) ? 1 : 0),
    /** Those that do not tell the times of what they did. */
    RUNS_WITHOUT_TIMES(run -> run.summary().hasTimesWithin() ? 0 : 1);

    @SuppressWarnings("ImmutableEnumChecker") // a function without a state
    private final ToLongFunction<RunFacts> share;

    Count(ToLongFunction<RunFacts> share) {
        this.share = share;
    }

    private static long rewards(RunFacts run, Predicate<EventRow.Reward> counts) {
        return run.rewards().stream().filter(counts).count();
    }

    private static boolean isLateRewarded(RunFacts run) {
        return run.result().counts() && run.summary().rewards().late() > 0;
    }

    private static boolean hadReward(RunFacts run) {
        RunEnded end = run.summary().row().end();
        return end != null && end.hasReward();
    }

    /** Returns what a run adds. */
    long of(RunFacts run) {
        return share.applyAsLong(run);
    }

    String field() {
        return name().toLowerCase(Locale.ROOT);
    }
}
