package dev.rlm.journal;

import dev.rlm.journal.line.EventReader;
import dev.rlm.journal.line.Fields;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads events from fields by name, in the form of the journal's lines: for programs that take events from others.
 *
 * <p>A value is a string, a number, a boolean, or a list or map of them; what is absent has no field. All that a line
 * of the journal always has must be there. Texts are taken as they are: a program that takes them from outside must
 * have redacted them. Fields that are not right are a {@link RuntimeException}.
 */
public final class EventFields {
    private EventFields() {}

    /** The run that a {@code run_started} describes. */
    public static RunInfo run(Map<String, Object> start) {
        return EventReader.run(fields(start));
    }

    /** An event of the run. */
    public static RunEvent event(RunInfo run, Map<String, Object> event) {
        return known(new EventReader(run).read(fields(event)));
    }

    /** The end of that step, whose {@code start_seq} it names. */
    public static StepEnded stepEnded(StepStarted start, Map<String, Object> end) {
        EventReader reader = new EventReader(start.run());
        reader.expectEndOf(start);
        return (StepEnded) known(reader.read(fields(end)));
    }

    /** Numbers that belong to no run. */
    public static MetricsReported metrics(Map<String, Object> event) {
        return (MetricsReported) EventReader.readApart(EventType.METRICS_REPORTED, fields(event));
    }

    /** A span that belongs to no run. */
    public static StandaloneSpanRecorded span(Map<String, Object> event) {
        return (StandaloneSpanRecorded) EventReader.readApart(EventType.STANDALONE_SPAN_RECORDED, fields(event));
    }

    private static RunEvent known(@Nullable RunEvent event) {
        if (event == null) {
            throw new IllegalArgumentException("not an event of a run");
        }
        return event;
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // nothing is null in it
    private static Fields fields(Map<String, Object> values) {
        return new Fields((Map<String, @Nullable Object>) (Map<?, ?>) values);
    }
}
