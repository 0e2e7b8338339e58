package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.RunInfo;
import io.opentelemetry.api.trace.SpanContext;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The runs that ended last, and how far back that memory goes. Safe for use by several threads. */
final class EndedRuns {
    private static final int REMEMBERED = 4_096;

    private final Map<String, Ended> last = new LinkedHashMap<>();
    private Instant forgotten = Instant.MIN;

    synchronized void add(RunInfo run, SpanContext span) {
        last.put(run.runId(), new Ended(run.startedAt(), span));
        if (last.size() > REMEMBERED) {
            Iterator<Ended> eldest = last.values().iterator();
            Instant start = eldest.next().startedAt();
            eldest.remove();
            forgotten = start.isAfter(forgotten) ? start : forgotten;
        }
    }

    /** The span of the run, as far back as is remembered. */
    synchronized @Nullable SpanContext find(String runId) {
        Ended run = last.get(runId);
        return run == null ? null : run.span();
    }

    /**
     * Whether a run that is not open has ended: one that is no longer remembered is known by its start, which is no later
     * than that of some other that has been forgotten.
     */
    synchronized boolean contains(RunInfo run) {
        return last.containsKey(run.runId()) || !run.startedAt().isAfter(forgotten);
    }

    private record Ended(Instant startedAt, SpanContext span) {}
}
