package dev.rlm.collector.runs;

import dev.rlm.collector.otlp.Attributes;
import dev.rlm.collector.otlp.ReceivedSpan;
import dev.rlm.collector.otlp.SpanEvent;
import dev.rlm.sinks.RunSpec.PassOn;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.OriginalSpan;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.SpanRecordedBuilder;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.schema.RunAssembler;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Run made of a trace of another program. Each call of a model that lies in no other call begins a step, unless such a call
 * is still under way; whatever starts before the next step belongs to it. Of one thread.
 */
final class ForeignRun {
    private final List<ReceivedSpan> spans;
    private final Map<String, ReceivedSpan> byId = new HashMap<>();
    private final Map<String, Convention> kinds = new HashMap<>(); // by the spans' ids
    private final RunSettings settings;
    private final @Nullable ReceivedSpan root;
    private final RunInfo run;
    private final List<RunEvent> events = new ArrayList<>();
    private final Map<String, Long> seqs = new HashMap<>(); // of what other spans can lie in
    private final Map<String, Integer> steps = new HashMap<>();
    private final RunAssembler known = new RunAssembler();
    private @Nullable OpenStep step;
    private @Nullable Content answer;

    private ForeignRun(String runId, @Nullable String continued, List<ReceivedSpan> unsorted, RunSettings settings) {
        this.settings = settings;
        for (ReceivedSpan span : unsorted) {
            byId.put(span.id(), span);
            kinds.put(span.id(), Convention.of(span));
        }
        this.spans = unsorted.stream()
                .sorted(Comparator.comparingLong(ReceivedSpan::start)
                        .thenComparingInt(this::depth)
                        .thenComparing(ReceivedSpan::id))
                .toList();
        mergeNested();
        this.root = root();
        this.run = info(runId, continued);
    }

    /**
     * Returns the run's events, by number.
     *
     * @param continued the run whose trace it goes on with, or in whose trace it lies; {@code null} for none
     */
    static List<RunEvent> events(
            String runId, @Nullable String continued, List<ReceivedSpan> spans, RunSettings settings) {
        return new ForeignRun(runId, continued, spans, settings).make();
    }

    /** The root, or what a process sent in its place that joined a trace of which nothing else came. */
    private @Nullable ReceivedSpan root() {
        List<ReceivedSpan> tops = spans.stream()
                .filter(span -> parent(span) == null && !span.name().equals(ReceivedSpan.EVALUATION))
                .toList();
        return tops.size() == 1
                ? tops.get(0)
                : tops.stream().filter(Traces::isRoot).findFirst().orElse(null);
    }

    private int depth(ReceivedSpan span) {
        int depth = 0;
        Set<String> seen = new HashSet<>();
        for (ReceivedSpan each = parent(span); each != null && seen.add(each.id()); each = parent(each)) {
            depth++;
        }
        return depth;
    }

    private Convention kind(ReceivedSpan span) {
        return kinds.getOrDefault(span.id(), Convention.OTHER);
    }

    /**
     * Tells the spans of calls that another's tells too, as where a library and its HTTP client are both observed, to be no calls: a call that
     * holds one other is the same, and the outer one counts unless the inner alone tells its tokens; one that holds several stands for them all.
     */
    private void mergeNested() {
        Map<String, List<ReceivedSpan>> inner = new HashMap<>();
        for (ReceivedSpan span : spans) {
            ReceivedSpan outer = kind(span) == Convention.MODEL_CALL ? outerCall(span) : null;
            if (outer != null && kind(outer) == Convention.MODEL_CALL) {
                inner.computeIfAbsent(outer.id(), id -> new ArrayList<>()).add(span);
            }
        }
        inner.forEach((id, held) -> {
            ReceivedSpan outer = Objects.requireNonNull(byId.get(id));
            boolean same = held.size() == 1;
            boolean outerTells = tellsTokens(outer) || !tellsTokens(held.get(0));
            kinds.put(same && outerTells ? held.get(0).id() : id, Convention.AGENT);
        });
    }

    private static boolean tellsTokens(ReceivedSpan call) {
        return !new CallFields(call).usage().equals(Usage.UNKNOWN);
    }

    private @Nullable ReceivedSpan parent(ReceivedSpan span) {
        return span.parent() == null ? null : byId.get(span.parent());
    }

    private RunInfo info(String runId, @Nullable String continued) {
        ReceivedSpan first = root == null ? spans.get(0) : root;
        List<ReceivedSpan> calls = spans.stream()
                .filter(span -> kind(span) == Convention.MODEL_CALL)
                .toList();
        String rollout = first(Set.of("agentlightning.rollout_id", "rlm.rollout_id"));
        Correlation ids =
                Correlation.builder().rollout(rollout).parentRun(continued).build();
        return RunInfoBuilder.builder()
                .runId(runId)
                .startedAt(RunTimes.instant(spans.get(0).start()))
                .task(task(first, calls))
                .environment(first.service())
                .model(calls.isEmpty() ? "" : new CallFields(calls.get(0)).model())
                .agent(first(Set.of(AttributeNames.AGENT)))
                .agentVersion(first(Set.of(AttributeNames.AGENT_VERSION)))
                .params(params(first))
                .passReward(settings.passReward())
                .tags(tags())
                .correlation(ids)
                .parent(Traces.context(first))
                .originalSpan(
                        root == null && first.parent() != null
                                ? null
                                : new OriginalSpan(
                                        first.id(),
                                        root == null ? "" : first.name(),
                                        first.resource().values()))
                .build();
    }

    private @Nullable String first(Set<String> names) {
        return spans.stream()
                .flatMap(span -> names.stream()
                        .map(name -> span.attributes().text(name) == null
                                ? span.resource().text(name)
                                : span.attributes().text(name)))
                .filter(text -> text != null)
                .findFirst()
                .orElse(null);
    }

    private Content task(ReceivedSpan root, List<ReceivedSpan> calls) {
        String input = root.attributes().text("input.value", "traceloop.entity.input", "ai.prompt", "user_prompt");
        if (input != null && kind(root) != Convention.MODEL_CALL) {
            return Content.redacted(input);
        }
        return calls.stream()
                .flatMap(call -> new CallFields(call).messages().stream())
                .filter(message -> message.role().equals("user"))
                .map(Message::content)
                .findFirst()
                .orElse(Content.EMPTY);
    }

    /** Keeps the attributes of the root, which have no other place unless it is a call. */
    private Map<String, Object> params(ReceivedSpan first) {
        Map<String, Object> params = new LinkedHashMap<>(first.resource().values());
        if (isFrame(first)) {
            params.putAll(first.attributes().values());
        }
        return params;
    }

    private Map<String, String> tags() {
        Map<String, String> tags = new LinkedHashMap<>();
        tags.put("trace_id", spans.get(0).trace());
        String session = first(Set.of("gen_ai.conversation.id", "session.id"));
        if (session != null) {
            tags.put("session_id", session);
        }
        return tags;
    }

    private List<RunEvent> make() {
        record(new RunStarted(run, known.nextSeq()));
        spans.forEach(this::add);
        endStep(Long.MAX_VALUE);
        end();
        return events;
    }

    /** Returns what an event keeps of its span; {@code null} where that is the run's. */
    private @Nullable OriginalSpan original(ReceivedSpan span) {
        OriginalSpan ofRun = run.originalSpan();
        OriginalSpan own =
                new OriginalSpan(span.id(), span.name(), span.resource().values());
        if (ofRun == null) {
            return own;
        } else if (ofRun.spanId().equals(own.spanId())) {
            return null;
        }
        return ofRun.resource().equals(own.resource()) ? new OriginalSpan(own.spanId(), own.name(), Map.of()) : own;
    }

    private void record(RunEvent event) {
        events.add(known.add(event));
    }

    private long nanos(long time) {
        return time - RunTimes.epochNanos(run.startedAt());
    }

    private boolean isFrame(ReceivedSpan span) {
        return span.equals(root) && (kind(span) == Convention.AGENT || kind(span) == Convention.OTHER);
    }

    private void add(ReceivedSpan span) {
        Convention kind = kind(span);
        if (kind == Convention.MODEL_CALL && !isInCall(span) && (step == null || !step.isUnderWay(span.start()))) {
            endStep(nanos(span.start()));
            StepStarted started = new StepStarted(
                    run, known.nextSeq(), nanos(span.start()), known.nextStep(), RunEvent.NO_STEP, Content.EMPTY);
            record(started);
            step = new OpenStep(started);
        }
        steps.put(span.id(), number());
        CallEvents.Position place = new CallEvents.Position(
                number(), parentSeq(span), nanos(span.start()), nanos(span.end()), original(span));
        switch (kind) {
            case MODEL_CALL -> modelCalled(CallEvents.model(run, known.nextSeq(), place, span), span);
            case TOOL_CALL -> toolCalled(CallEvents.tool(run, known.nextSeq(), place, span));
            case EVALUATION -> reward(span, span.attributes(), place, span.message());
            case AGENT, OTHER -> {
                if (!isFrame(span)) {
                    spanRecorded(span, place);
                }
            }
        }
        for (SpanEvent event : span.events()) {
            if (event.name().equals(ReceivedSpan.EVALUATION)) {
                long at = nanos(Math.max(event.time(), RunTimes.epochNanos(run.startedAt())));
                reward(span, event.attributes(), new CallEvents.Position(number(), 0, at, at, null), "");
            }
        }
    }

    private int number() {
        return step == null ? RunEvent.NO_STEP : step.started.step();
    }

    private boolean isInCall(ReceivedSpan span) {
        return outerCall(span) != null;
    }

    /** Returns the call that a span lies in, of a model or a tool. */
    private @Nullable ReceivedSpan outerCall(ReceivedSpan span) {
        Set<String> seen = new HashSet<>();
        for (ReceivedSpan each = parent(span); each != null && seen.add(each.id()); each = parent(each)) {
            Convention kind = kind(each);
            if (kind == Convention.MODEL_CALL || kind == Convention.TOOL_CALL) {
                return each;
            }
        }
        return null;
    }

    private long parentSeq(ReceivedSpan span) {
        Set<String> seen = new HashSet<>();
        for (ReceivedSpan each = parent(span); each != null && seen.add(each.id()); each = parent(each)) {
            Long seq = seqs.get(each.id());
            if (seq != null) {
                return seq;
            }
        }
        return 0;
    }

    private void modelCalled(ModelCalled call, ReceivedSpan span) {
        record(call);
        if (step != null && !isInCall(span)) {
            step.called(span.end(), call.error());
            Message reply = call.reply();
            answer = reply != null && reply.toolCalls().isEmpty() ? reply.content() : null;
        }
    }

    private void toolCalled(ToolCalled call) {
        record(call);
        if (step != null) {
            step.acted(call);
        }
    }

    private void spanRecorded(ReceivedSpan span, CallEvents.Position place) {
        seqs.put(span.id(), known.nextSeq());
        if (step != null) {
            step.lasts = Math.max(step.lasts, place.end());
        }
        record(SpanRecordedBuilder.builder()
                .run(run)
                .seq(known.nextSeq())
                .nanos(place.end())
                .step(place.step())
                .startNanos(place.start())
                .name(span.name().isBlank() ? "span" : span.name())
                .parentSeq(place.parentSeq())
                .attributes(span.attributes().values())
                .error(CallEvents.error(span))
                .originalSpan(place.span())
                .build());
    }

    /** Gives a reward to the step of the span that it is told by or lies in; to the run where that is the root. */
    private void reward(ReceivedSpan span, Attributes on, CallEvents.Position place, String message) {
        ReceivedSpan judged = kind(span) == Convention.EVALUATION ? parent(span) : span;
        int number = judged == null || judged.equals(root) ? RunEvent.NO_STEP : steps.getOrDefault(judged.id(), 0);
        boolean open = step != null && number == step.started.step();
        CallEvents.Position at = new CallEvents.Position(
                open ? number : RunEvent.NO_STEP,
                0,
                Math.min(place.start(), place.end()),
                place.end(),
                place.start() < place.end() ? place.span() : null);
        record(SpanRewards.given(run, known.nextSeq(), at, on, message));
    }

    /** Ends the step that is open, once all that lies in it has ended, but before the next. */
    private void endStep(long next) {
        OpenStep ending = step;
        if (ending == null) {
            return;
        }
        step = null;
        long nanos = Math.max(ending.end, Math.min(ending.lasts, next));
        RunAssembler.OpenStep open = Objects.requireNonNull(known.open(ending.started.step()));
        record(known.end(open, nanos, ending.error).actionType(ending.action).build());
    }

    private void end() {
        long nanos = spans.stream().mapToLong(span -> nanos(span.end())).max().orElse(0);
        boolean failed = root != null && root.failed();
        Outcome outcome = root == null ? Outcome.ABANDONED : failed ? Outcome.FAILED : Outcome.COMPLETED;
        Content error = root == null ? null : CallEvents.error(root);
        String output = root == null || kind(root) == Convention.MODEL_CALL
                ? null
                : root.attributes().text("output.value", "traceloop.entity.output", "ai.response.text");
        String message = root == null
                ? "the root of its trace never came"
                : error == null ? "" : error.text().lines().findFirst().orElse("");
        record(known.end(nanos, outcome, message)
                .run(run)
                .solved(known.isSolved(outcome, PassOn.LAST, settings.passReward()))
                .runPath(settings.runPath())
                .finalAnswer(output == null ? answer : Content.redacted(output))
                .errorType(
                        error == null || root == null ? null : root.attributes().text(AttributeNames.ERROR_TYPE))
                .error(error)
                .build());
    }

    /** Step under way. */
    private final class OpenStep {
        private final StepStarted started;
        private long calledUntil;
        private long end;
        private long lasts; // until other spans in it have ended
        private String action = "";
        private @Nullable Content error;

        OpenStep(StepStarted started) {
            this.started = started;
        }

        /** Returns whether its model is still being called at that moment. */
        boolean isUnderWay(long time) {
            return nanos(time) < calledUntil;
        }

        void called(long until, @Nullable Content failure) {
            calledUntil = Math.max(calledUntil, nanos(until));
            end = Math.max(end, calledUntil);
            error = error == null ? failure : error;
        }

        void acted(ToolCalled call) {
            end = Math.max(end, call.nanos());
            action = action.isEmpty() ? call.tool() : action;
            error = error == null && call.failed() ? call.error() : error;
        }
    }
}
