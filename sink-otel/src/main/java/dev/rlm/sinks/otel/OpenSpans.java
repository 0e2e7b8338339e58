package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepStarted;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The runs whose spans have started and not ended.
 *
 * <p>With the sink's own SDK spans are started on the lane with ids known beforehand, so that a scope needs no span. With
 * an injected one the ids are that SDK's: whoever comes first, lane or scope, starts the span.
 */
final class OpenSpans {
    private static final int REMEMBERED_ENDS = 4_096;

    private final Tracer tracer;
    private final @Nullable FixedIds ids;
    private final Map<String, OpenRun> runs = new ConcurrentHashMap<>();
    private final Map<String, String> ended = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > REMEMBERED_ENDS;
        }
    });

    /** With the ids of the sink's own SDK, or none for an injected one. */
    OpenSpans(Tracer tracer, @Nullable FixedIds ids) {
        this.tracer = tracer;
        this.ids = ids;
    }

    /** The run's span, started if it has not been. On the lane only. */
    OpenRun run(RunInfo info) {
        OpenRun run = runs.computeIfAbsent(info.runId(), id -> open(info));
        run.span(); // its start
        return run;
    }

    /** The id of the run's trace; empty where only an injected SDK could tell. On any thread. */
    Optional<String> traceId(String runId) {
        OpenRun run = runs.get(runId);
        if (run != null) {
            return Optional.of(run.current().getSpanContext().getTraceId());
        }
        return Optional.ofNullable(ended.get(runId))
                .or(() -> ids == null
                        ? Optional.empty()
                        : Optional.of(Ids.of(runId).traceId()));
    }

    /** Whether the run has ended here, as far back as is remembered. */
    boolean hasEnded(String runId) {
        return ended.containsKey(runId);
    }

    /** Forgets the run but for its trace. On the lane only. */
    void remove(OpenRun run) {
        ended.put(run.info().runId(), run.current().getSpanContext().getTraceId()); // first: see context
        runs.remove(run.info().runId());
    }

    /** All that are open. */
    Collection<OpenRun> all() {
        return runs.values();
    }

    /**
     * The context in which the run, or the step, is current. On any thread. A run that has ended stays so: with the
     * sink's own SDK its ids are still good, another's spans are gone.
     */
    Context context(RunInfo info, @Nullable StepStarted step) {
        Span span = span(info, step);
        return span == null ? Context.current() : Context.current().with(span);
    }

    /** The run's span, or the step's, or one with its ids; {@code null} where it is gone. On any thread. */
    @Nullable
    Span span(RunInfo info, @Nullable StepStarted step) {
        OpenRun run = runs.compute(info.runId(), (id, open) -> open != null || hasEnded(id) ? open : open(info));
        if (run == null && ids == null) {
            return null;
        }
        OpenRun known = run == null ? open(info) : run;
        return step == null ? known.current() : known.current(step);
    }

    private OpenRun open(RunInfo info) {
        return ids == null ? new InjectedRun(info, tracer) : new OwnRun(info, tracer, ids);
    }
}
