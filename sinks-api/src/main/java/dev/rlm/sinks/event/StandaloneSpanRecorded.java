package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of time that the user named and that lies in no run, such as a job, or a wait for a place in one.
 *
 * @param time when it ended
 * @param name what it is called
 * @param durationNanos how long it took, by a clock that never steps back
 * @param traceId the trace that it is part of, in 32 hexadecimal digits
 * @param spanId its own id, in 16 hexadecimal digits
 * @param parentSpanId the span that it lies in, of this kind or of work elsewhere; {@code null} where there is none
 * @param parentSampled whether the work elsewhere that its trace is of is sampled; {@code null} where the trace began here
 * @param attributes strings, numbers and booleans
 * @param error why it failed; {@code null} where it did not
 */
@RecordBuilder
public record StandaloneSpanRecorded(
        Instant time,
        @Recorded(required = true) String name,
        @Recorded(standard = "0", min = 0) long durationNanos,
        @Recorded(id = true) String traceId,
        @Recorded(id = true) String spanId,
        @Recorded(id = true) @Nullable String parentSpanId,
        @Recorded(since = 3) @Nullable Boolean parentSampled,
        Map<String, Object> attributes,
        @Nullable Content error)
        implements Event {
    private static final Pattern TRACE = Pattern.compile("(?!0{32})[0-9a-f]{32}");

    public StandaloneSpanRecorded {
        Checks.notBlank(name, "span name");
        Checks.atLeast(0, durationNanos, "duration");
        if (!TRACE.matcher(traceId).matches()) {
            throw new IllegalArgumentException("not the id of a trace: " + Content.limited(traceId));
        }
        Checks.spanId(spanId);
        if (parentSpanId != null) {
            Checks.spanId(parentSpanId);
        }
        attributes = JsonValues.copy(attributes);
    }

    /** Returns the time at which it started. */
    public Instant startedAt() {
        return time.minusNanos(durationNanos);
    }

    @Override
    public EventType type() {
        return EventType.STANDALONE_SPAN_RECORDED;
    }
}
