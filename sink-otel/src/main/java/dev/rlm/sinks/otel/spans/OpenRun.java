package dev.rlm.sinks.otel.spans;

import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.otel.mapping.OpenSpan;
import dev.rlm.sinks.otel.mapping.RunMapping;
import dev.rlm.sinks.otel.mapping.TextLimits;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A run's span and those of its steps. On the lane only, but for what makes one current. */
public abstract class OpenRun {
    // What measurements are labelled with.
    public static final AttributeKey<String> ENVIRONMENT = AttributeKey.stringKey("environment");
    public static final AttributeKey<Boolean> SUCCESS = AttributeKey.booleanKey("success");

    private static final AttributeKey<String> MODEL = AttributeKey.stringKey("model");
    private static final AttributeKey<String> RUN_ID = AttributeKey.stringKey("run_id");
    private static final int REMEMBERED_STEPS = 1_024;

    private final RunInfo info;
    private final Attributes baggage;
    private final Map<Integer, OpenSpan> steps = new ConcurrentHashMap<>(1); // one at a time, as a rule
    private final Ended<Integer, Integer> endedSteps = new Ended<>(REMEMBERED_STEPS);
    private @Nullable Set<Long> parents; // of the few runs that have any: many runs may be open; guarded by this
    private Instant lastEvent;
    private long modelCalls;
    private long toolCalls;
    private boolean counted; // among the runs that have started
    private boolean rewarded;
    private volatile @Nullable OpenSpan root;

    // Made once a run, as each step needs them
    private @Nullable Attributes identity;
    private @Nullable Attributes labels;
    private @Nullable Attributes succeeded;
    private @Nullable Attributes failed;
    private @Nullable Attributes runId;

    /** @param baggage what each of its spans has besides its own attributes, which count before it */
    protected OpenRun(RunInfo info, Attributes baggage) {
        this.info = info;
        this.baggage = baggage;
        this.lastEvent = info.startedAt();
    }

    /** The run's own span, which the first call starts. On any thread. */
    public OpenSpan root() {
        OpenSpan known = root;
        return known == null ? startRoot() : known;
    }

    private synchronized OpenSpan startRoot() {
        OpenSpan known = root;
        if (known == null) {
            known = new OpenSpan(startRun(), info.startedAt(), null);
            root = known;
        }
        return known;
    }

    public Span span() {
        return root().span();
    }

    /** Returns whether the run's span has been started; a scope alone need not have started it. */
    public boolean isStarted() {
        return root != null;
    }

    /** Starts the run's span. */
    protected abstract Span startRun();

    /** A span to be made current for what is at the place. On any thread. */
    public Span current(Place place) {
        Place.Work work = place.work();
        if (work != null) {
            noteParent(work.seq());
            return current(place, work);
        }
        return place.step() == null ? current() : current(place.step());
    }

    /** A span to be made current for the run. On any thread. */
    public abstract Span current();

    /** A span to be made current for the step. On any thread. */
    protected abstract Span current(StepStarted step);

    /** A span to be made current for work at the place. On any thread. */
    protected abstract Span current(Place place, Place.Work work);

    /** Starts a span below another, with links to further ones. */
    protected abstract Span start(Part part, Span parent, List<SpanContext> links);

    /** The span that the event of that number has or will have; {@code null} where only its own event can tell. */
    protected abstract @Nullable Span work(long seq);

    /** The spans of work that were started before its event came, the innermost first. */
    public List<OpenSpan> openWork() {
        return List.of();
    }

    public RunInfo info() {
        return info;
    }

    /** Returns the attributes that each of the run's spans starts with. */
    protected Attributes baggage() {
        return baggage;
    }

    /** The step's span, started if it has not been. */
    public OpenSpan step(StepStarted step) {
        return steps.computeIfAbsent(step.step(), number -> startStep(step));
    }

    /** The step of that number, if it is open. */
    public @Nullable OpenSpan findStep(int number) {
        return steps.get(number);
    }

    public Collection<OpenSpan> openSteps() {
        return steps.values();
    }

    /** Returns the latest start among open steps and open work; the run's own start if nothing is open in it. */
    public Instant latestStart() {
        return Stream.concat(steps.values().stream(), openWork().stream())
                .map(OpenSpan::startedAt)
                .max(Comparator.naturalOrder())
                .orElse(info.startedAt());
    }

    /** The open steps by number, for those who start them. */
    protected Map<Integer, OpenSpan> steps() {
        return steps;
    }

    /** Forgets the step of that number but for its span's ids. */
    public void removeStep(int number, Span span) {
        endedSteps.add(number, number, span.getSpanContext()); // first: a scope must not open it again
        steps.remove(number);
    }

    /** A span with the ids that the step's had, as far back as is remembered. On any thread. */
    protected @Nullable Span endedStep(int number) {
        SpanContext ended = endedSteps.find(number);
        return ended == null ? null : Span.wrap(ended);
    }

    /** Returns whether the step has ended. On any thread. */
    public boolean hasEnded(int step) {
        return step != RunEvent.NO_STEP && !steps.containsKey(step) && endedSteps.contains(step, step);
    }

    /** Counts the run among those that have started. Returns whether this is the first call. */
    public boolean markCounted() {
        boolean first = !counted;
        counted = true;
        return first;
    }

    /** Returns whether the run has been counted among those that have started. */
    public boolean isCounted() {
        return counted;
    }

    /** Notes that the run, or a step of it, was given a reward. */
    public void rewarded() {
        rewarded = true;
    }

    public boolean isRewarded() {
        return rewarded;
    }

    public void countModelCall() {
        modelCalls++;
    }

    public void countToolCall() {
        toolCalls++;
    }

    /** Returns the number of model calls that have ended in the run. */
    public long modelCalls() {
        return modelCalls;
    }

    /** Returns the number of tool calls that have ended in the run. */
    public long toolCalls() {
        return toolCalls;
    }

    /** Returns the attributes of each of its steps' spans. Made once a run, because their texts are checked. */
    public Attributes identity() {
        Attributes known = identity;
        if (known == null) {
            known = RunMapping.identity(info);
            identity = known;
        }
        return known;
    }

    /** The environment, as a label of measurements. */
    public Attributes environment() {
        return Attributes.of(ENVIRONMENT, TextLimits.name(info.environment()));
    }

    /** Environment and model. */
    public Attributes labels() {
        Attributes known = labels;
        if (known == null) {
            known = environment().toBuilder()
                    .put(MODEL, TextLimits.name(info.model()))
                    .build();
            labels = known;
        }
        return known;
    }

    /** Environment, model and how something went. */
    public Attributes labels(boolean success) {
        Attributes known = success ? succeeded : failed;
        if (known == null) {
            known = labels().toBuilder().put(SUCCESS, success).build();
            succeeded = success ? known : succeeded;
            failed = success ? failed : known;
        }
        return known;
    }

    /** Environment and the run's id, or what stands in its place, which is asked for once; an empty text is no label. */
    public Attributes runIdLabels(UnaryOperator<String> label) {
        Attributes known = runId;
        if (known == null) {
            String id = label.apply(info.runId());
            known = id.isEmpty()
                    ? environment()
                    : environment().toBuilder().put(RUN_ID, id).build();
            runId = known;
        }
        return known;
    }

    /** Notes that something happened at that time. */
    public void saw(Instant time) {
        lastEvent = time.isAfter(lastEvent) ? time : lastEvent;
    }

    /** The time of the last event, the only end that is known of a run without an end. */
    public Instant lastEvent() {
        return lastEvent;
    }

    /** Starts the run's span below another. The job's span is linked, and a parent run of which only the id is known. */
    protected Span startRun(Span parent) {
        List<SpanContext> links = new ArrayList<>(1);
        String parentRun = info.correlation().parentRun();
        if (parentRun != null && !parent.getSpanContext().isValid()) {
            Ids ids = Ids.of(parentRun);
            String id = ids.spanId(Ids.Kind.RUN, 1);
            links.add(SpanContext.create(ids.traceId(), id, TraceFlags.getSampled(), TraceState.getDefault()));
        }
        String job = info.correlation().jobSpan();
        if (job != null) {
            SpanContext span = Span.fromContext(Traceparent.context(new TraceContext(job, null, null)))
                    .getSpanContext();
            if (span.isValid()) {
                links.add(span);
            }
        }
        return start(Part.of(info), parent, List.copyOf(links));
    }

    /** Starts a step's span, under that of the step it is nested in. */
    protected OpenSpan startStep(StepStarted step) {
        OpenSpan outer = steps.get(step.parentStep());
        Span span = start(Part.of(step), outer == null ? span() : outer.span(), List.of());
        return new OpenSpan(span, step.time(), step);
    }

    /** Starts the span of a part of the run, where it lies; that of a step that ended long ago in the run. */
    public Span startPart(Part part) {
        return start(part, parent(part), List.of());
    }

    /**
     * Returns whether the span of the event of that number has parts, or may have some elsewhere, because it was
     * current. Forgets the number: asked once, when that event comes.
     */
    public synchronized boolean hadParts(long seq) {
        return parents != null && parents.remove(seq);
    }

    private synchronized void noteParent(long seq) {
        parents = parents == null ? new HashSet<>() : parents;
        parents.add(seq);
    }

    private Span parent(Part part) {
        if (part.parentSeq() != 0) {
            noteParent(part.parentSeq());
        }
        Span work = part.parentSeq() == 0 ? null : work(part.parentSeq());
        if (work != null) {
            return work;
        }
        return at(part.step());
    }

    /** The span of the step of that number, or one with its ids; that of the run where it is not known. */
    public Span at(int step) {
        OpenSpan open = steps.get(step);
        if (open != null) {
            return open.span();
        }
        Span ended = endedStep(step);
        return ended == null ? current() : ended;
    }
}
