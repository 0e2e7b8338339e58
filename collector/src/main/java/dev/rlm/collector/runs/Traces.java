package dev.rlm.collector.runs;

import dev.rlm.collector.otlp.ReceivedSpan;
import dev.rlm.sinks.event.RunEvent;
import java.util.List;
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

    /**
     * Makes a run of spans.
     *
     * @param continued the run whose trace it goes on with; {@code null} for none
     * @return its events in order; none where the spans are not an agent's
     */
    public static List<RunEvent> run(
            String runId, @Nullable String continued, List<ReceivedSpan> spans, RunSettings settings) {
        if (continued == null
                && spans.stream().anyMatch(span -> span.attributes().has(Names.RUN_ID))) {
            return OwnRun.events(runId, spans, settings);
        }
        boolean agents = settings.keepAll()
                || continued != null
                || spans.stream().anyMatch(span -> Convention.of(span) != Convention.OTHER);
        return agents ? ForeignRun.events(runId, continued, spans, settings) : List.of();
    }
}
