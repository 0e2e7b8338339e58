package dev.rlm.collector.runs;

import dev.rlm.collector.otlp.AgentLog;
import dev.rlm.collector.otlp.ReceivedSpan;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.TraceContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Rules by which spans belong to runs. */
public final class Traces {
    private Traces() {}

    /** Returns whether a span is one that this product's own sink has made of a run: the run itself is elsewhere. */
    public static boolean isOwn(ReceivedSpan span) {
        return span.attributes().has(AttributeNames.RUN_ID) && span.attributes().has(AttributeNames.ENVIRONMENT);
    }

    /** Returns whether the run of its trace ends with it. */
    public static boolean isRoot(ReceivedSpan span) {
        return span.parent() == null && !span.name().equals(ReceivedSpan.EVALUATION);
    }

    /** Returns the context that keeps a run in the trace of its span: that of the span that it lies in, or a root's own. */
    static TraceContext context(ReceivedSpan span) {
        String parent = span.parent() == null ? span.id() : span.parent();
        return new TraceContext("00-" + span.trace() + "-" + parent + "-01", null, null);
    }

    /** Makes a run of spans; returns its events in order, none where the spans are not an agent's. */
    public static List<RunEvent> run(String runId, List<ReceivedSpan> spans, RunSettings settings) {
        List<ReceivedSpan> all = AgentLog.withSession(spans);
        boolean agents = settings.keepAll() || all.stream().anyMatch(span -> Convention.of(span) != Convention.OTHER);
        return agents ? ForeignRun.events(runId, null, all, settings) : List.of();
    }

    /**
     * Returns what spans tell that came after their run had been made: rewards that were given after its end, which are its
     * own, and all else as a run that goes on with it.
     *
     * @param part the number of that run
     * @param times of the run that was made first; {@code null} where it is not known
     */
    public static List<RunEvent> late(
            String runId, int part, @Nullable RunTimes times, List<ReceivedSpan> spans, RunSettings settings) {
        Map<Boolean, List<ReceivedSpan>> late = spans.stream()
                .collect(Collectors.partitioningBy(span ->
                        times != null && Convention.of(span) == Convention.EVALUATION && span.end() > times.end()));
        List<RunEvent> events = new ArrayList<>();
        if (times != null) {
            events.addAll(SpanRewards.late(runId, times, late.getOrDefault(true, List.of())));
        }
        List<ReceivedSpan> rest = AgentLog.withSession(late.getOrDefault(false, List.of()));
        if (!rest.isEmpty()) {
            events.addAll(ForeignRun.events(runId + "." + part, runId, rest, settings));
        }
        return events;
    }
}
