package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.otel.mapping.OpenSpan;
import dev.rlm.sinks.otel.spans.Ended;
import dev.rlm.sinks.otel.spans.Ids;
import dev.rlm.sinks.otel.spans.OpenRun;
import dev.rlm.sinks.otel.spans.Part;
import dev.rlm.sinks.otel.spans.Traceparent;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A run in an OpenTelemetry of the program's own. Lane or scope starts a span, whichever needs it first. */
final class InjectedRun extends OpenRun {
    private static final int REMEMBERED_WORK = 1_024;

    private final Tracer tracer;
    private final Map<Long, OpenSpan> works = new ConcurrentHashMap<>();
    private final Ended<Long, Long> endedWork = new Ended<>(REMEMBERED_WORK);
    private final @Nullable SpanContext ended; // where it has

    /** @param ended the context of its span, where it has ended and no more of it is left */
    InjectedRun(RunInfo info, Tracer tracer, Attributes baggage, @Nullable SpanContext ended) {
        super(info, baggage);
        this.tracer = tracer;
        this.ended = ended;
    }

    @Override
    protected Span startRun() {
        return ended == null ? startRun(Span.fromContext(Traceparent.context(info().parent()))) : Span.wrap(ended);
    }

    @Override
    public Span current() {
        return span();
    }

    @Override
    protected Span current(StepStarted step) {
        OpenSpan open = steps().compute(
                        step.step(), (number, known) -> known != null || hasEnded(number) ? known : startStep(step));
        if (open != null) {
            return open.span();
        }
        Span ended = endedStep(step.step());
        return ended == null ? span() : ended;
    }

    @Override
    protected Span current(Place place, Place.Work work) {
        Span parent = current(new Place(place.run(), place.step(), work.outer()));
        OpenSpan open = works.compute(
                work.seq(),
                (seq, known) -> known != null || endedWork.contains(seq, seq) ? known : start(place, work, parent));
        Span known = open == null ? work(work.seq()) : open.span();
        return known == null ? parent : known;
    }

    private OpenSpan start(Place place, Place.Work work, Span parent) {
        Part part = Part.of(place, work);
        return new OpenSpan(start(part, parent, List.of()), part.start(), null);
    }

    /** Known where it has been current. Otherwise it starts when its event comes: what lay in it came before. */
    @Override
    protected @Nullable Span work(long seq) {
        OpenSpan open = works.get(seq);
        if (open != null) {
            return open.span();
        }
        SpanContext ended = endedWork.find(seq);
        return ended == null ? null : Span.wrap(ended);
    }

    @Override
    public List<OpenSpan> openWork() {
        return works.entrySet().stream()
                .sorted(Map.Entry.<Long, OpenSpan>comparingByKey().reversed())
                .map(Map.Entry::getValue)
                .toList();
    }

    /** That of work goes on where a scope has started it. */
    @Override
    public Span startPart(Part part) {
        if (part.kind() != Ids.Kind.WORK) {
            return super.startPart(part);
        }
        Span started = works.computeIfAbsent(part.seq(), seq -> new OpenSpan(super.startPart(part), part.start(), null))
                .span();
        endedWork.add(part.seq(), part.seq(), started.getSpanContext()); // first: a scope must not start it again
        works.remove(part.seq());
        return started;
    }

    @Override
    protected Span start(Part part, Span parent, List<SpanContext> links) {
        SpanBuilder builder = tracer.spanBuilder(part.name())
                .setSpanKind(part.spanKind())
                .setParent(Context.root().with(parent))
                .setStartTimestamp(part.start())
                .setAllAttributes(baggage());
        links.forEach(builder::addLink);
        return builder.startSpan();
    }
}
