package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run has ended.
 *
 * @param seq at the same time how many events the run emitted
 * @param solved whether its reward reached the pass reward; says more than {@link Outcome#COMPLETED}, and nothing where it is
 *     {@code false} and there was no reward: see {@link #isDecided}
 * @param runPath where its durable record lies; {@code null} where no sink keeps one
 * @param terminationReason such as {@code max_steps}; unless given, the usual one of such an end: {@code stop} (it
 *     ended by itself), {@code limit} (it was cut off), {@code non_skippable_error} (it failed), {@code user_stop} (it
 *     was stopped) or {@code process_died}
 * @param truncated whether it was cut off (by its step limit, say) and not ended by the environment
 * @param steps how many steps ended
 * @param totalReward the sum of the finite rewards; 0.0 where there was none, which is no reward: see {@link #hasReward}
 * @param absentRewards how many rewards could not be computed
 * @param rewards how many rewards were given, absent ones included; {@code null} where an earlier version did not count them
 * @param finalAnswer what the agent answered; {@code null} where it gave no answer
 * @param initialState a digest of the environment's state before the first step; {@code null} where there is none
 * @param metrics further numbers of the run by name
 * @param errorType the class of the exception that ended it; {@code null} if none did
 * @param error the exception's message and stack trace; {@code null} where there was none
 */
@RecordBuilder
public record RunEnded(
        RunInfo run,
        long seq,
        long nanos,
        Outcome outcome,
        RunStatus status,
        boolean solved,
        @Nullable String runPath,
        @Nullable String terminationReason,
        boolean truncated,
        @Recorded(min = 0) int steps,
        double totalReward,
        @Recorded(min = 0) int absentRewards,
        @Recorded(min = 0, since = 3) @Nullable Integer rewards,
        @Nullable Content finalAnswer,
        @Recorded(id = true, since = 2) @Nullable String initialState,
        Map<String, Double> metrics,
        @Nullable String errorType,
        @Nullable Content error)
        implements RunEvent {
    public RunEnded {
        Checks.atLeast(1, seq, "seq");
        Checks.atLeast(0, steps, "steps");
        terminationReason = terminationReason == null ? usualReason(outcome, truncated) : terminationReason;
        metrics = Checks.numbers(metrics);
    }

    private static String usualReason(Outcome outcome, boolean truncated) {
        return switch (outcome) {
            case COMPLETED -> truncated ? "limit" : "stop";
            case FAILED -> "non_skippable_error";
            case ABORTED -> "user_stop";
            case ABANDONED -> "process_died";
        };
    }

    @Override
    public EventType type() {
        return EventType.RUN_ENDED;
    }

    /** Returns the duration of the run. */
    public Duration duration() {
        return Duration.ofNanos(nanos);
    }

    /** Returns whether a reward was given before it, absent ones included; {@code true} where that was not counted. */
    public boolean hasReward() {
        return rewards == null || rewards > 0;
    }

    /**
     * Returns whether means may use its total reward: not where there was no reward or one could not be computed, nor where the
     * run was cut off from outside before its rewards were given.
     */
    public boolean hasUsableReward() {
        return hasReward() && absentRewards == 0 && outcome.isOwnEnd();
    }

    /** Returns whether it says if the run is solved. Where it does not, the first reward after it does. */
    public boolean isDecided() {
        return solved || hasReward();
    }

    /**
     * Returns whether the run is solved; {@code null} where that is open.
     *
     * @param firstLate the first reward that came after it and could be computed; {@code null} if there is none
     */
    public @Nullable Boolean isSolved(@Nullable Double firstLate) {
        return isDecided() ? (Boolean) solved : firstLate == null ? null : solvedBy(firstLate, run.passReward());
    }

    /** Returns whether a run's first reward, if it came after its end, solves it; {@code null} where its pass reward is not known. */
    public static @Nullable Boolean solvedBy(double firstLate, @Nullable Double passReward) {
        return passReward == null ? null : (Boolean) (firstLate >= passReward);
    }

    /** Returns the same, which tells that there was no reward before it where it says nothing of one; for who has read all events. */
    public RunEnded unrewarded() {
        boolean told = rewards != null || solved || totalReward != 0 || absentRewards > 0;
        return told ? this : RunEndedBuilder.builder(this).rewards(0).build();
    }
}
