package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepStarted;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A run's span and those of its steps. On the lane only, but for what makes one current. */
abstract class OpenRun extends OpenSpan {
    static final String NAME = "rlm.run";
    static final String STEP_NAME = "rlm.step";

    private final RunInfo info;
    private final Tracer tracer;
    private final Map<Integer, OpenStep> steps = new ConcurrentHashMap<>();
    private final Set<Integer> endedSteps = ConcurrentHashMap.newKeySet();
    private Instant lastEvent;

    OpenRun(RunInfo info, Tracer tracer) {
        this.info = info;
        this.tracer = tracer;
        this.lastEvent = info.startedAt();
    }

    /** Whether the run's span has been started; a scope alone may not have. */
    abstract boolean isStarted();

    /** A span to be made current for the run. On any thread. */
    abstract Span current();

    /** A span to be made current for the step. On any thread. */
    abstract Span current(StepStarted step);

    /** The step's span, started if it has not been. */
    abstract OpenStep step(StepStarted step);

    RunInfo info() {
        return info;
    }

    @Override
    Instant startedAt() {
        return info.startedAt();
    }

    /** The step of that number, if it is open. */
    @Nullable
    OpenStep findStep(int number) {
        return steps.get(number);
    }

    /** The steps that are open. */
    Collection<OpenStep> openSteps() {
        return steps.values();
    }

    /** The open steps by number, for those who start them. */
    Map<Integer, OpenStep> steps() {
        return steps;
    }

    /** Forgets the step but for its having ended. */
    void removeStep(int number) {
        endedSteps.add(number); // first: a scope must not open it again
        steps.remove(number);
    }

    boolean hasEnded(int step) {
        return endedSteps.contains(step);
    }

    /** Notes that something happened at that time. */
    void saw(Instant time) {
        lastEvent = time.isAfter(lastEvent) ? time : lastEvent;
    }

    /** The time of the last event, the only end that is known of a run without an end. */
    Instant lastEvent() {
        return lastEvent;
    }

    /** The remote parent's context; an empty one where there is none. */
    Context remoteParent() {
        return Traceparent.context(info.parent());
    }

    /** Starts the run's span. A parent run of which only the id is known is linked. */
    Span startRun(Context parent) {
        var builder = tracer.spanBuilder(NAME).setParent(parent).setStartTimestamp(info.startedAt());
        String parentRun = info.correlation().parentRun();
        if (parentRun != null && !Span.fromContext(parent).getSpanContext().isValid()) {
            Ids parentIds = Ids.of(parentRun);
            builder.addLink(SpanContext.create(
                    parentIds.traceId(),
                    parentIds.spanId(Ids.Kind.RUN, 1),
                    TraceFlags.getSampled(),
                    TraceState.getDefault()));
        }
        return builder.startSpan();
    }

    /** Starts a step's span, under that of the step it is nested in. */
    OpenStep startStep(StepStarted step) {
        OpenStep outer = steps.get(step.parentStep());
        Span parent = outer == null ? span() : outer.span();
        Span span = tracer.spanBuilder(STEP_NAME)
                .setParent(Context.root().with(parent))
                .setStartTimestamp(step.time())
                .startSpan();
        return new OpenStep(step, span);
    }
}
