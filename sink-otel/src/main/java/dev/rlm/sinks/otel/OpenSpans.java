package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepStarted;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The spans of runs and steps that have started and not ended.
 *
 * <p>With the sink's own SDK they are started on the lane with ids known beforehand, so that a scope needs no span. With
 * an injected one the ids are that SDK's: whoever comes first, lane or scope, starts the span.
 */
final class OpenSpans {
    static final String RUN = "rlm.run";
    static final String STEP = "rlm.step";

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
        OpenRun run = known(info);
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
        ended.put(run.info.runId(), run.span().getSpanContext().getTraceId());
        runs.remove(run.info.runId());
    }

    /** All that are open. */
    Collection<OpenRun> all() {
        return runs.values();
    }

    /** The context in which the run, or the step, is current. On any thread. */
    Context context(RunInfo info, @Nullable StepStarted step) {
        OpenRun run = known(info);
        return Context.current().with(step == null ? run.current() : run.current(step));
    }

    private OpenRun known(RunInfo info) {
        return runs.computeIfAbsent(info.runId(), id -> ids == null ? new InjectedRun(info) : new OwnRun(info, ids));
    }

    private static Context parentOf(RunInfo info) {
        return Traceparent.context(info.traceparent());
    }

    /** A run and its steps. */
    abstract class OpenRun {
        final RunInfo info;
        private final Map<Integer, OpenStep> steps = new ConcurrentHashMap<>();
        private int events;
        private boolean described;

        OpenRun(RunInfo info) {
            this.info = info;
        }

        /** The run's span; the first call starts it. */
        abstract Span span();

        /** A span to be made current for the run. */
        abstract Span current();

        /** A span to be made current for the step. */
        abstract Span current(StepStarted step);

        /** The step's span, started if it has not been. On the lane only. */
        abstract OpenStep step(StepStarted step);

        /** The step, if it is open. */
        @Nullable
        OpenStep findStep(int number) {
            return steps.get(number);
        }

        Map<Integer, OpenStep> steps() {
            return steps;
        }

        /** Counts an event that the run's span stands for; how many there are now. On the lane only. */
        int count() {
            return ++events;
        }

        int events() {
            return events;
        }

        /** Whether this is the first call: it is time to describe the run. On the lane only. */
        boolean isNew() {
            boolean first = !described;
            described = true;
            return first;
        }

        Span startRun(Context parent) {
            var builder = tracer.spanBuilder(RUN).setParent(parent).setStartTimestamp(info.startedAt());
            String parentRun = info.correlation().parentRun();
            if (parentRun != null && info.traceparent() == null) {
                Ids parentIds = Ids.of(parentRun);
                builder.addLink(SpanContext.create(
                        parentIds.traceId(),
                        parentIds.spanId(Ids.Kind.RUN, 1),
                        TraceFlags.getSampled(),
                        TraceState.getDefault()));
            }
            return builder.startSpan();
        }

        OpenStep startStep(StepStarted step) {
            OpenStep outer = steps.get(step.parentStep());
            Span parent = outer == null ? span() : outer.span;
            Span span = tracer.spanBuilder(STEP)
                    .setParent(Context.root().with(parent))
                    .setStartTimestamp(step.time())
                    .startSpan();
            return new OpenStep(step, span);
        }
    }

    /** A step's span, and how many events it stands for. */
    static final class OpenStep {
        final StepStarted started;
        final Span span;
        private int events;
        private boolean described;

        OpenStep(StepStarted started, Span span) {
            this.started = started;
            this.span = span;
        }

        /** Counts an event that the span stands for; how many there are now. On the lane only. */
        int count() {
            return ++events;
        }

        int events() {
            return events;
        }

        /** Whether this is the first call: it is time to describe the step. On the lane only. */
        boolean isNew() {
            boolean first = !described;
            described = true;
            return first;
        }
    }

    /** A run whose ids and sampling are known before its span is started. */
    private final class OwnRun extends OpenRun {
        private final FixedIds next;
        private final Ids own;
        private final Context parent;
        private final String traceId;
        private final SamplingResult sampling;
        private @Nullable Span span;

        OwnRun(RunInfo info, FixedIds next) {
            super(info);
            this.next = next;
            own = Ids.of(info.runId());
            parent = parentOf(info);
            SpanContext remote = Span.fromContext(parent).getSpanContext();
            traceId = remote.isValid() ? remote.getTraceId() : own.traceId();
            sampling = next.ask(parent, traceId, RUN);
        }

        @Override
        Span span() {
            if (span == null) {
                next.next(traceId, own.spanId(Ids.Kind.RUN, 1), sampling);
                span = startRun(parent);
            }
            return span;
        }

        @Override
        Span current() {
            return wrapped(own.spanId(Ids.Kind.RUN, 1));
        }

        @Override
        Span current(StepStarted step) {
            return wrapped(own.spanId(Ids.Kind.STEP, step.seq()));
        }

        private Span wrapped(String spanId) {
            boolean sampled = sampling.getDecision() == SamplingDecision.RECORD_AND_SAMPLE;
            TraceFlags flags = sampled ? TraceFlags.getSampled() : TraceFlags.getDefault();
            return Span.wrap(SpanContext.create(traceId, spanId, flags, TraceState.getDefault()));
        }

        @Override
        OpenStep step(StepStarted step) {
            OpenStep open = steps().get(step.step());
            if (open == null) {
                span(); // before the step's ids are set
                SamplingResult asTheRun = SamplingResult.create(sampling.getDecision());
                next.next(traceId, own.spanId(Ids.Kind.STEP, step.seq()), asTheRun);
                open = startStep(step);
                steps().put(step.step(), open);
            }
            return open;
        }
    }

    /** A run whose spans are another's: they are started by whoever comes first. */
    private final class InjectedRun extends OpenRun {
        private @Nullable Span span;

        InjectedRun(RunInfo info) {
            super(info);
        }

        @Override
        synchronized Span span() {
            if (span == null) {
                span = startRun(parentOf(info));
            }
            return span;
        }

        @Override
        Span current() {
            return span();
        }

        @Override
        Span current(StepStarted step) {
            return step(step).span;
        }

        @Override
        OpenStep step(StepStarted step) {
            return steps().computeIfAbsent(step.step(), number -> startStep(step));
        }
    }
}
