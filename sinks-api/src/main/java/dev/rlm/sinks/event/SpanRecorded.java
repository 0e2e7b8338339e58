package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of time that the user named, such as a phase of a pipeline.
 *
 * @param nanos when it ended
 * @param startNanos when it started
 * @param parentSeq the number of the event whose span it lies in; 0 for the step, or the run where there is no step
 * @param attributes strings, numbers and booleans
 * @param error why it failed; {@code null} where it did not
 * @param originalSpan span of another program that it was made of; {@code null} where it was not
 */
@RecordBuilder
public record SpanRecorded(
        RunInfo run,
        long seq,
        long nanos,
        @Recorded(absent = "0", min = 0) int step,
        long startNanos,
        @Recorded(required = true) String name,
        @Recorded(standard = "0", min = 0) long parentSeq,
        Map<String, Object> attributes,
        @Nullable Content error,
        @Recorded(since = 3) @Nullable OriginalSpan originalSpan)
        implements RunEvent {
    public SpanRecorded {
        Checks.atLeast(1, seq, "seq");
        Checks.atLeast(0, step, "step");
        Checks.notBlank(name, "span name");
        attributes = JsonValues.copy(attributes);
    }

    @Override
    public EventType type() {
        return EventType.SPAN_RECORDED;
    }
}
