package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A step has ended.
 *
 * @param started its start
 * @param actionType what kind of action the agent took, such as {@code run_python} or {@code submit}; empty where it took none
 * @param code the action itself
 * @param output what came of it: the next observation
 * @param success whether the action worked; says nothing of the reward
 * @param error why it did not; {@code null} where it did
 * @param errorType what kind of failure it was, such as {@link #ABORTED}; {@code null} where there is no more to say
 * @param reward the sum of the finite rewards given to the step; 0.0 if none was given, NaN if none that was given is
 *     finite
 * @param cumulativeReward the sum of the run's finite rewards up to and including this step
 * @param stateBefore a digest of the environment's state before the step; {@code null} if there is none
 * @param stateAfter a digest of the environment's state after the step; {@code null} if there is none
 * @param tags further names to find it by
 */
@RecordBuilder
public record StepEnded(
        StepStarted started,
        long seq,
        long nanos,
        @Recorded(standard = "") String actionType,
        Content code,
        Content output,
        boolean success,
        @Nullable Content error,
        @Nullable String errorType,
        double reward,
        double cumulativeReward,
        @Recorded(id = true) @Nullable String stateBefore,
        @Recorded(id = true) @Nullable String stateAfter,
        Map<String, String> tags)
        implements RunEvent {
    /** The {@link #errorType()} of a step that was stopped from outside, or open when its run ended. */
    public static final String ABORTED = "aborted";

    /** The {@link #errorType()} of a step that took longer than it may. */
    public static final String DEADLINE_EXCEEDED = "deadline_exceeded";

    public StepEnded {
        code = Checks.orEmpty(code);
        output = Checks.orEmpty(output);
        Checks.atLeast(started.seq() + 1, seq, "seq");
        actionType = Checks.orEmpty(actionType);
        tags = Checks.texts(tags);
    }

    @Override
    public EventType type() {
        return EventType.STEP_ENDED;
    }

    @Override
    public RunInfo run() {
        return started.run();
    }

    @Override
    public int step() {
        return started.step();
    }

    /** The number of the step that it is nested in, or {@link RunEvent#NO_STEP}. */
    @Recorded(absent = "0", min = 0)
    public int parentStep() {
        return started.parentStep();
    }

    /** The {@linkplain RunEvent#seq() number} of its start. */
    @Recorded(min = 1)
    public long startSeq() {
        return started.seq();
    }

    /** Returns the time of its start, in nanoseconds from the run's start. */
    @Recorded
    public long startNanos() {
        return started.nanos();
    }

    /** Returns the duration of the step. */
    public Duration duration() {
        return Duration.ofNanos(nanos - started.nanos());
    }
}
