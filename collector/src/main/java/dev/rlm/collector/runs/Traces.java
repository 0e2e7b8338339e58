package dev.rlm.collector.runs;

import dev.rlm.collector.otlp.ReceivedSpan;
import dev.rlm.sinks.event.RunEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Rules by which spans belong to runs. */
public final class Traces {
    private Traces() {}

    /** Returns the id of the run that a span belongs to: that which it names, else its trace's. */
    public static String runId(ReceivedSpan span) {
        String own = span.attributes().text(Names.RUN_ID);
        return own == null || own.isBlank() ? span.trace() : own;
    }

    /** Returns whether the run that it belongs to ends with it. */
    public static boolean isRoot(ReceivedSpan span) {
        boolean own = span.attributes().has(Names.RUN_ID);
        return own
                ? span.attributes().has(Names.OUTCOME)
                : span.parent() == null && !span.name().equals(ReceivedSpan.EVALUATION);
    }

    /** Makes a run of spans; returns its events in order, none where the spans are not an agent's. */
    public static List<RunEvent> run(String runId, List<ReceivedSpan> spans, RunSettings settings) {
        if (spans.stream().anyMatch(span -> span.attributes().has(Names.RUN_ID))) {
            return OwnRun.events(runId, spans, settings);
        }
        boolean agents = settings.keepAll() || spans.stream().anyMatch(span -> Convention.of(span) != Convention.OTHER);
        return agents ? ForeignRun.events(runId, null, spans, settings) : List.of();
    }

    /**
     * Returns what spans tell that came after their run had been made: rewards that were given after its end, which are its
     * own, and all else as a run that goes on with it.
     *
     * @param part the number of that run
     * @param end of the run that was made first; {@code null} where it is not known
     */
    public static List<RunEvent> late(
            String runId, int part, @Nullable RunEnd end, List<ReceivedSpan> spans, RunSettings settings) {
        Map<Boolean, List<ReceivedSpan>> late = spans.stream()
                .collect(Collectors.partitioningBy(
                        span -> end != null && Convention.of(span) == Convention.EVALUATION && span.end() > end.end()));
        List<RunEvent> events = new ArrayList<>();
        if (end != null) {
            events.addAll(Rewards.late(runId, end, late.getOrDefault(true, List.of())));
        }
        List<ReceivedSpan> rest = late.getOrDefault(false, List.of());
        if (!rest.isEmpty()) {
            events.addAll(ForeignRun.events(runId + "." + part, runId, rest, settings));
        }
        return events;
    }
}
