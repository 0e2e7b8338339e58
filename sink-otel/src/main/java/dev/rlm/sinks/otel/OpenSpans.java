package dev.rlm.sinks.otel;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.otel.export.SpanExport;
import dev.rlm.sinks.otel.export.TailSamplingBuffer;
import dev.rlm.sinks.otel.mapping.ContentCapture;
import dev.rlm.sinks.otel.mapping.Names;
import dev.rlm.sinks.otel.mapping.OpenSpan;
import dev.rlm.sinks.otel.spans.Ended;
import dev.rlm.sinks.otel.spans.Ids;
import dev.rlm.sinks.otel.spans.OpenRun;
import dev.rlm.sinks.otel.spans.OwnSpan;
import dev.rlm.sinks.otel.spans.Part;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.baggage.BaggageBuilder;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Registry of the runs whose spans have started and not ended. It ends spans too, and accounts for their events.
 *
 * <p>With the sink's own SDK spans are started on the lane with ids known beforehand, so that a scope needs no span. With
 * an injected one the ids are that SDK's: lane or scope starts the span, whichever needs it first.
 */
final class OpenSpans {
    private static final int REMEMBERED = 4_096;

    /** Jaeger warns of a span that ends when it starts, and counts in microseconds, as other back ends do. */
    private static final Duration SHORTEST = Duration.ofNanos(1_000);

    private final Tracer tracer;
    private final BaggageAttributes baggage;
    private final ContentCapture capture;
    private final @Nullable OwnSdk own;
    private final @Nullable SpanExport export;
    private final @Nullable TailSamplingBuffer held;
    private final DeliveryCounts counts;
    private final Map<String, OpenRun> runs = new ConcurrentHashMap<>();
    private final Ended<String, Instant> ended = new Ended<>(REMEMBERED);

    /** With the sink's own SDK: what scopes or the lane asked for last, so that both have the sampler's one answer. */
    private final Map<String, OpenRun> asked = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, OpenRun> eldest) {
            return size() > REMEMBERED;
        }
    });

    /**
     * @param tracer that of an injected OpenTelemetry
     * @param own the sink's own SDK; {@code null} where one is injected
     * @param counts of the events that spans stand for
     */
    OpenSpans(
            Tracer tracer,
            BaggageAttributes baggage,
            ContentCapture capture,
            @Nullable OwnSdk own,
            DeliveryCounts counts) {
        this.tracer = tracer;
        this.baggage = baggage;
        this.capture = capture;
        this.own = own;
        this.counts = counts;
        export = own == null ? null : own.export().spans();
        held = export == null ? null : export.held();
    }

    /** The run's span, started if it has not been. On the lane only. */
    OpenRun run(RunInfo info) {
        OpenRun known = runs.get(info.runId()); // as nearly always
        OpenRun run = known == null
                ? runs.computeIfAbsent(info.runId(), id -> own == null ? injected(info) : own(info, own))
                : known;
        run.root(); // its start
        return run;
    }

    private OpenRun injected(RunInfo info) {
        return new InjectedRun(info, tracer, baggage.of(info), null);
    }

    private OpenRun own(RunInfo info, OwnSdk sdk) {
        return asked.computeIfAbsent(info.runId(), id -> new OwnRun(info, baggage.of(info), sdk));
    }

    /** The id of the run's trace; empty where only an injected SDK could tell. On any thread. */
    Optional<String> traceId(String runId) {
        OpenRun run = runs.get(runId);
        if (run != null) {
            return Optional.of(run.current().getSpanContext().getTraceId());
        }
        return Optional.ofNullable(ended.find(runId))
                .map(SpanContext::getTraceId)
                .or(() -> own == null
                        ? Optional.empty()
                        : Optional.of(Ids.of(runId).traceId()));
    }

    /** The run if it is open. On the lane only. */
    @Nullable
    OpenRun find(RunInfo info) {
        return runs.get(info.runId());
    }

    /**
     * Returns a run that has ended, for an event after its end; {@code null} if its ids are lost, because an injected
     * SDK made them too long ago. On the lane only.
     */
    @Nullable
    OpenRun afterEnd(RunInfo info) {
        SpanContext known = ended.find(info.runId());
        if (own == null) {
            return known == null ? null : new InjectedRun(info, tracer, baggage.of(info), known);
        }
        return known == null ? new OwnRun(info, baggage.of(info), own) : new OwnRun(info, baggage.of(info), own, known);
    }

    /**
     * Returns whether the event comes after the end of its run, or of the step that it starts or ends. The start of a
     * run is late only if the run's end is remembered. On the lane only.
     */
    boolean isLate(RunEvent event) {
        RunInfo info = event.run();
        OpenRun run = runs.get(info.runId());
        if (run != null) {
            return (event instanceof StepStarted || event instanceof StepEnded) && run.hasEnded(event.step());
        }
        return event instanceof RunStarted ? ended.find(info.runId()) != null : hasEnded(info);
    }

    /** Returns whether the run, which is not open, has ended. */
    private boolean hasEnded(RunInfo info) {
        return ended.contains(info.runId(), info.startedAt());
    }

    /** Forgets the run but for its trace. On the lane only. */
    void remove(OpenRun run) {
        RunInfo info = run.info();
        ended.add(info.runId(), info.startedAt(), run.current().getSpanContext()); // first: see inInjected and inOwn
        runs.remove(info.runId());
        asked.remove(info.runId());
    }

    Collection<OpenRun> all() {
        return runs.values();
    }

    /**
     * The context in which what is at the place is current. On any thread. A run that has ended stays so: with the
     * sink's own SDK its ids are still good, another's spans are gone.
     */
    Context context(Place place) {
        Span span = span(place);
        return span == null
                ? Context.current()
                : withIds(Context.current(), place.run()).with(span);
    }

    /** Adds the ids of run and rollout to the baggage that a program's propagators hand on, in the place of an outer run's. */
    private static Context withIds(Context context, RunInfo run) {
        Baggage around = Baggage.fromContext(context);
        if (run.runId().equals(around.getEntryValue(TraceContext.RUN_ID))) {
            return context;
        }
        BaggageBuilder baggage = around.toBuilder().put(TraceContext.RUN_ID, run.runId());
        String rollout = run.correlation().rollout();
        if (rollout == null) {
            baggage.remove(Names.ROLLOUT_ID);
        } else {
            baggage.put(Names.ROLLOUT_ID, rollout);
        }
        return context.with(baggage.build());
    }

    /** The span at the place, or one with its ids; {@code null} where it is gone. On any thread. */
    @Nullable
    Span span(Place place) {
        OpenRun run = own == null ? inInjected(place.run()) : inOwn(place.run(), own);
        return run == null ? null : run.current(place);
    }

    /** Opens the run where the lane has not yet: its span must be the parent of what comes in the scope. */
    private @Nullable OpenRun inInjected(RunInfo info) {
        return runs.compute(info.runId(), (id, open) -> open != null || hasEnded(info) ? open : injected(info));
    }

    /** Opens nothing: the ids are known, and so is the sampling. */
    private OpenRun inOwn(RunInfo info, OwnSdk sdk) {
        OpenRun open = runs.get(info.runId());
        if (open != null) {
            return open;
        }
        synchronized (
                asked) { // what is no longer among them has an end that is found, however the lane goes on meanwhile
            SpanContext end = ended.find(info.runId());
            return end == null ? own(info, sdk) : new OwnRun(info, baggage.of(info), sdk, end);
        }
    }

    /**
     * Starts a span that lies in no run. With the sink's own SDK it has the ids that its event tells; with an injected one its own, and
     * the event's trace, so that those of one trace stay together.
     */
    Span start(StandaloneSpanRecorded event) {
        Part part = Part.of(event);
        TraceFlags flags =
                Boolean.FALSE.equals(event.parentSampled()) ? TraceFlags.getDefault() : TraceFlags.getSampled();
        SpanContext itself = context(event.traceId(), event.spanId(), flags);
        SpanContext parent = event.parentSpanId() == null
                ? SpanContext.getInvalid()
                : context(event.traceId(), event.parentSpanId(), flags);
        if (own == null) {
            return tracer.spanBuilder(part.name())
                    .setParent(Context.root().with(Span.wrap(parent.isValid() ? parent : itself)))
                    .setStartTimestamp(part.start())
                    .startSpan();
        }
        Context above =
                event.parentSampled() == null ? Context.root() : Context.root().with(Span.wrap(parent));
        SamplingDecision sampling = own.sampler()
                .shouldSample(above, event.traceId(), part.name(), part.spanKind(), Attributes.empty(), List.of())
                .getDecision();
        if (own.export().spans() == null || sampling != SamplingDecision.RECORD_AND_SAMPLE) {
            return Span.getInvalid();
        }
        return new OwnSpan(
                own.export().resource(), own.export().scope(), own.limits(), part, itself, parent, List.of());
    }

    /** Returns whether spans that lie in no run are left out. */
    boolean areOfRunsAlone() {
        return own != null && own.export().isForRunsAlone();
    }

    private static SpanContext context(String traceId, String spanId, TraceFlags flags) {
        return SpanContext.create(traceId, spanId, flags, TraceState.getDefault());
    }

    /** Ends a span of a run, step or work, which counts the events that it stands for. On the lane only, as all that follows. */
    void end(OpenSpan open, @Nullable OpenRun keptWith, Instant time) {
        end(open.span(), open.events(), keptWith, open.startedAt(), time);
    }

    /**
     * Ends a span, and accounts for so many events that it stands for by what becomes of it.
     *
     * @param keptWith the run that it is kept with; {@code null} where it is always sent
     */
    void end(Span span, int events, @Nullable OpenRun keptWith, Instant start, Instant end) {
        boolean sent =
                span.getSpanContext().isSampled() && span.isRecording(); // without export there is only the parent's
        if (!sent) {
            counts.dropped(Ledger.NOT_SAMPLED, events);
        } else if (export == null) {
            counts.delivered(events);
        }
        if (sent && own != null && span instanceof OwnSpan ending) {
            own.export().dialect().complete(ending, capture);
        }
        span.end(notBefore(start, end));
        if (sent && export != null && span instanceof OwnSpan own) {
            export.add(own, events, keptWith == null ? null : keptWith.info());
        }
    }

    /** Returns whether the run's spans are held, so that only its own span is sure to be sent. */
    boolean isHolding(OpenRun run) {
        return held != null && held.isHolding(run.info());
    }

    /** The span, or its run's where that one alone is sure to be sent: an example for measurements to lead to. */
    Span example(OpenRun run, Span span) {
        return isHolding(run) ? run.current() : span;
    }

    /** The end, or a later one where what starts then needs it: no child ends after its parent. */
    static Instant notBefore(Instant start, Instant end) {
        Instant least = start.plus(SHORTEST);
        return end.isBefore(least) ? least : end;
    }

    /** Returns the buffer of spans of runs that may be left out; {@code null} if no run may be. */
    @Nullable
    TailSamplingBuffer held() {
        return held;
    }
}
