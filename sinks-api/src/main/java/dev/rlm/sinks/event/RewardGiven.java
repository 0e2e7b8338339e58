package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reward was given, or could not be computed.
 *
 * @param nanos when its computation ended
 * @param step the step that it was given to, or {@link RunEvent#NO_STEP} for the run
 * @param source who gave it, such as {@code environment} or a judge's name
 * @param value the reward; may be negative or infinite; NaN where it is absent
 * @param absence why there is no value; {@code null} where there is one
 * @param components what explains the value
 * @param label the value in a word, such as {@code pass}; {@code null} where there is none
 * @param explanation its source's reasons; {@code null} where there are none
 * @param kind the nature of its source; {@code null} where that is not known
 * @param min the smallest value that its source promises; {@code null} where it promises none
 * @param max the largest such value
 * @param solved whether it decides that its run, which has ended, is solved or not, whatever was told before; {@code null} where it
 *     decides no more than others
 * @param startNanos when its computation started, like {@code nanos}; the same where it took no time
 * @param originalSpan span of another program that it was made of; {@code null} where it was not
 */
@RecordBuilder
public record RewardGiven(
        RunInfo run,
        long seq,
        long nanos,
        @Recorded(absent = "0", min = 0) int step,
        @Recorded(standard = "environment") String source,
        @Recorded(absent = "NaN") double value,
        @Nullable String absence,
        List<RewardComponent> components,
        @Recorded(since = 2) @Nullable String label,
        @Recorded(since = 2) @Nullable Content explanation,
        @Recorded(since = 2) @Nullable Kind kind,
        @Recorded(since = 2) @Nullable Double min,
        @Recorded(since = 2) @Nullable Double max,
        @Recorded(since = 3) @Nullable Boolean solved,
        long startNanos,
        @Recorded(since = 3) @Nullable OriginalSpan originalSpan)
        implements RunEvent {
    public RewardGiven {
        Checks.atLeast(1, seq, "seq");
        Checks.atLeast(0, step, "step");
        Checks.notBlank(source, "reward source");
        if (absence != null) {
            value = Double.NaN;
        } else if (Double.isNaN(value)) {
            absence = "NaN";
        }
        components = Checks.orEmpty(components);
        explanation = explanation == null || explanation.isEmpty() ? null : explanation;
        min = min == null || min.isNaN() ? null : min;
        max = max == null || max.isNaN() ? null : max;
    }

    @Override
    public EventType type() {
        return EventType.REWARD_GIVEN;
    }

    /** Returns what it was given to. */
    @Recorded
    public Scope scope() {
        return step == NO_STEP ? Scope.RUN : Scope.STEP;
    }

    /** Returns whether it could not be computed; never to be counted as 0. */
    public boolean isAbsent() {
        return absence != null;
    }

    /** Returns whether it lies outside the range that its source promises. It counts all the same. */
    public boolean isOutOfRange() {
        return (min != null && value < min) || (max != null && value > max);
    }

    /** The nature of a reward's source. */
    public enum Kind {
        /** A program, such as a test or a comparison. */
        CODE,
        /** A model, such as a judge. */
        MODEL,
        PERSON
    }

    /** Receiver of a reward. */
    public enum Scope {
        RUN,
        STEP
    }
}
