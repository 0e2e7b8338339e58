package dev.rlm.collector.runs;

import dev.rlm.collector.otlp.Attributes;
import dev.rlm.collector.otlp.ReceivedSpan;
import dev.rlm.collector.otlp.SpanEvent;
import dev.rlm.collector.runs.OwnSpanIds.Kind;
import dev.rlm.collector.runs.OwnSpanIds.SourceEvent;
import dev.rlm.sinks.event.ArtifactSavedBuilder;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecordedBuilder;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The inverse of this product's own mapping of runs to spans: gives back the run of which they tell. Of one thread. */
final class OwnRun {
    private static final int BEFORE_STEP_END = 1; // ranks of what happens at the same moment
    private static final int STEP_END = 2;
    private static final Set<String> STATUSES = Set.of("failed", "aborted", "abandoned");
    private static final Set<String> IDENTITY =
            Set.of(Names.RUN_ID, Names.ENVIRONMENT, Names.MODEL, Names.STEP, Names.LEFT_OUT, Names.ERROR_TYPE);

    private final List<Part> parts;
    private final Map<String, Part> byId = new HashMap<>();
    private final RunSettings settings;
    private final RunInfo run;
    private final @Nullable ReceivedSpan root;
    private final Timeline timeline = new Timeline();
    private final Map<Integer, StepStarted> steps = new TreeMap<>();
    private final Set<List<Object>> rewardSpans = new HashSet<>();
    private int stepsEnded;
    private int rewards;

    private OwnRun(String runId, List<ReceivedSpan> spans, RunSettings settings) {
        OwnSpanIds ids = new OwnSpanIds(runId);
        this.parts =
                spans.stream().map(span -> new Part(span, origin(ids, span))).toList();
        this.settings = settings;
        parts.forEach(part -> byId.put(part.span().id(), part));
        this.root = only(Kind.RUN);
        ReceivedSpan marker = only(Kind.MARKER);
        ReceivedSpan first = root != null ? root : marker != null ? marker : earliest(spans);
        this.run = OwnInfo.of(runId, first);
    }

    /** Returns the run's events, by number. */
    static List<RunEvent> events(String runId, List<ReceivedSpan> spans, RunSettings settings) {
        return new OwnRun(runId, spans, settings).make();
    }

    private @Nullable ReceivedSpan only(Kind kind) {
        return parts.stream()
                .filter(part -> part.origin().kind() == kind)
                .map(Part::span)
                .findFirst()
                .orElse(null);
    }

    private static ReceivedSpan earliest(List<ReceivedSpan> spans) {
        return spans.stream().min(Comparator.comparingLong(ReceivedSpan::start)).orElseThrow();
    }

    /** Spans whose ids another SDK made are told apart by what is on them. */
    private static SourceEvent origin(OwnSpanIds ids, ReceivedSpan span) {
        SourceEvent known = ids.origin(span.id());
        return known != null ? known : new SourceEvent(kind(span), 0);
    }

    private static Kind kind(ReceivedSpan span) {
        Attributes on = span.attributes();
        String operation = String.valueOf(on.text(Names.OPERATION));
        if (on.flag(Names.MARKER)) {
            return Kind.MARKER;
        } else if (on.has(Names.CUMULATIVE_REWARD) || span.name().equals("rlm.step")) {
            return Kind.STEP;
        }
        return switch (operation) {
            case "invoke_agent" -> Kind.RUN;
            case "chat" -> Kind.MODEL_CALL;
            case "execute_tool", "retrieval" -> Kind.TOOL_CALL;
            default -> Kind.WORK;
        };
    }

    private List<RunEvent> make() {
        timeline.add(1, 0, RunEvent.NO_STEP, 0, seq -> new RunStarted(run, seq));
        parts.forEach(this::add);
        parts.forEach(this::addEvents);
        end();
        return timeline.events();
    }

    private long nanos(long time) {
        return Math.max(0, time - OwnInfo.epochNanos(run.startedAt()));
    }

    private void add(Part part) {
        ReceivedSpan span = part.span();
        switch (part.origin().kind()) {
            case RUN, MARKER -> {}
            case STEP -> step(part);
            case MODEL_CALL -> add(part, span.end(), seq -> CallEvents.model(run, seq, place(part), span));
            case TOOL_CALL -> add(part, span.end(), seq -> CallEvents.tool(run, seq, place(part), span));
            case WORK -> work(part);
        }
    }

    private void add(Part part, long numberedAt, java.util.function.LongFunction<RunEvent> event) {
        timeline.add(
                part.origin().seq(), nanos(numberedAt), part.span().attributes().count(Names.STEP), 1, event);
    }

    private CallEvents.Position place(Part part) {
        ReceivedSpan span = part.span();
        Part parent = span.parent() == null ? null : byId.get(span.parent());
        return new CallEvents.Position(
                span.attributes().count(Names.STEP),
                parent != null && parent.origin().kind() == Kind.WORK
                        ? parent.origin().seq()
                        : 0,
                nanos(span.start()),
                nanos(span.end()),
                null);
    }

    private void work(Part part) {
        ReceivedSpan span = part.span();
        CallEvents.Position place = place(part);
        if (span.attributes().has(Names.EVALUATION_NAME)) {
            rewards++;
            rewardSpans.add(rewardKey(place.step(), span.end(), span.attributes()));
            add(part, span.start(), seq -> Rewards.given(run, seq, place, span.attributes(), span.message()));
            return;
        }
        Map<String, Object> attributes = new HashMap<>(span.attributes().values());
        attributes.keySet().removeAll(IDENTITY);
        add(
                part,
                span.start(),
                seq -> SpanRecordedBuilder.builder()
                        .run(run)
                        .seq(seq)
                        .nanos(place.end())
                        .step(place.step())
                        .startNanos(place.start())
                        .name(span.name().isBlank() ? "span" : span.name())
                        .parentSeq(place.parentSeq())
                        .attributes(attributes)
                        .error(CallEvents.error(span))
                        .build());
    }

    private static List<Object> rewardKey(int step, long time, Attributes reward) {
        return List.of(step, time, String.valueOf(reward.text(Names.EVALUATION_NAME)));
    }

    private void step(Part part) {
        ReceivedSpan span = part.span();
        Attributes on = span.attributes();
        int number = Math.max(1, on.count(Names.STEP));
        timeline.add(part.origin().seq(), nanos(span.start()), number, 0, seq -> {
            StepStarted started =
                    new StepStarted(run, seq, nanos(span.start()), number, on.count(Names.PARENT_STEP), Content.EMPTY);
            steps.put(number, started);
            return started;
        });
        if (on.has(Names.SUCCESS)) { // else it had no end of its own
            stepsEnded++;
            timeline.add(0, nanos(span.end()), number, STEP_END, seq -> stepEnded(seq, number, span));
        }
    }

    private RunEvent stepEnded(long seq, int number, ReceivedSpan span) {
        Attributes on = span.attributes();
        boolean success = on.flag(Names.SUCCESS);
        String type = on.text(Names.ERROR_TYPE);
        Double reward = on.decimal(Names.REWARD);
        Double cumulative = on.decimal(Names.CUMULATIVE_REWARD);
        StepStarted started = steps.get(number);
        return StepEndedBuilder.builder()
                .started(started == null ? new StepStarted(run, seq - 1, 0, number, 0, Content.EMPTY) : started)
                .seq(seq)
                .nanos(nanos(span.end()))
                .actionType(on.textOrEmpty(Names.ACTION_TYPE))
                .code(textOrEmpty(span, "code_execution", "code"))
                .output(textOrEmpty(span, "output", "output"))
                .success(success)
                .error(success || span.message().isEmpty() ? null : Content.redacted(span.message()))
                .errorType("step_failed".equals(type) ? null : type)
                .reward(reward == null ? Double.NaN : reward)
                .cumulativeReward(cumulative == null ? 0 : cumulative)
                .stateBefore(on.text(Names.STATE_BEFORE))
                .stateAfter(on.text(Names.STATE_AFTER))
                .tags(OwnInfo.texts(on.below(Names.TAG)))
                .build();
    }

    private static Content textOrEmpty(ReceivedSpan span, String event, String attribute) {
        Content text = text(span, event, attribute);
        return text == null ? Content.EMPTY : text;
    }

    private static @Nullable Content text(ReceivedSpan span, String event, String attribute) {
        return span.events().stream()
                .filter(each -> each.name().equals(event) && each.attributes().has(attribute))
                .map(each -> Content.redacted(String.valueOf(each.attributes().text(attribute))))
                .findFirst()
                .orElse(null);
    }

    /** Adds what is told by events of the spans of run and steps. */
    private void addEvents(Part part) {
        Kind kind = part.origin().kind();
        if (kind != Kind.RUN && kind != Kind.STEP) {
            return;
        }
        int step =
                kind == Kind.RUN ? RunEvent.NO_STEP : part.span().attributes().count(Names.STEP);
        for (SpanEvent event : part.span().events()) {
            long nanos = nanos(event.time());
            CallEvents.Position place = new CallEvents.Position(step, 0, nanos, nanos, null);
            if (event.name().equals(ReceivedSpan.EVALUATION)
                    && !rewardSpans.contains(rewardKey(step, event.time(), event.attributes()))) {
                rewards++;
                timeline.add(
                        0, nanos, step, BEFORE_STEP_END, seq -> Rewards.given(run, seq, place, event.attributes(), ""));
            } else if (event.name().equals("artifact")) {
                timeline.add(0, nanos, step, BEFORE_STEP_END, seq -> artifact(seq, place, event.attributes()));
            }
        }
    }

    private RunEvent artifact(long seq, CallEvents.Position place, Attributes on) {
        String absence = on.text("rlm.artifact.absence");
        Long size = on.whole("rlm.artifact.size");
        String hash = on.text("rlm.artifact.sha256");
        String name = on.text("rlm.artifact.name");
        return ArtifactSavedBuilder.builder()
                .run(run)
                .seq(seq)
                .nanos(place.end())
                .step(place.step())
                .name(name == null || name.isBlank() ? "artifact" : name)
                .mediaType(on.textOrEmpty("rlm.artifact.media_type"))
                .size(size == null ? 0 : Math.max(0, size))
                .sha256(hash == null ? "" : hash)
                .path("")
                .absence(absence == null ? "not_sent" : absence)
                .build();
    }

    private void end() {
        ReceivedSpan span = root;
        if (span == null) {
            abandon();
            return;
        }
        Attributes on = span.attributes();
        Outcome outcome = outcome(on.text(Names.OUTCOME), span.failed());
        String type = on.text(Names.ERROR_TYPE);
        Double total = on.decimal(Names.TOTAL_REWARD);
        Long code = on.whole(Names.STATUS_CODE);
        String fullMessage = exception(span, "exception.message");
        String message = fullMessage == null ? span.message() : fullMessage;
        String stackTrace = exception(span, "exception.stacktrace");
        long nanos = nanos(span.end());
        timeline.addEnd(
                nanos,
                seq -> RunEndedBuilder.builder()
                        .run(run)
                        .seq(seq)
                        .nanos(nanos)
                        .outcome(outcome)
                        .status(RunStatus.of(code == null ? RunStatus.UNKNOWN : code.intValue(), message))
                        .solved(on.flag(Names.SOLVED))
                        .runPath(settings.runPath())
                        .terminationReason(on.text(Names.TERMINATION_REASON))
                        .truncated(on.flag(Names.TRUNCATED))
                        .steps(on.count(Names.TOTAL_STEPS))
                        .totalReward(total == null ? 0 : total)
                        .absentRewards(on.count(Names.ABSENT_REWARDS))
                        .rewards(rewards == 0 && total != null ? null : (Integer) rewards)
                        .finalAnswer(text(span, "final_answer", "answer"))
                        .initialState(on.text(Names.STATE_INITIAL))
                        .metrics(numbers(on.below(Names.METRIC)))
                        .errorType(type == null || STATUSES.contains(type) ? null : type)
                        .error(stackTrace == null ? null : Content.redacted(stackTrace))
                        .build());
    }

    private static @Nullable String exception(ReceivedSpan span, String attribute) {
        return span.events().stream()
                .filter(each -> each.name().equals("exception"))
                .map(each -> each.attributes().values().get(attribute))
                .map(value -> value == null ? null : value.toString())
                .filter(value -> value != null)
                .findFirst()
                .orElse(null);
    }

    private static Map<String, Double> numbers(Map<String, Object> values) {
        return values.entrySet().stream()
                .filter(each -> each.getValue() instanceof Number)
                .collect(Collectors.toMap(Map.Entry::getKey, each -> ((Number) each.getValue()).doubleValue()));
    }

    private static Outcome outcome(@Nullable String label, boolean failed) {
        try {
            return Outcome.valueOf(String.valueOf(label).toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            return failed ? Outcome.FAILED : Outcome.COMPLETED;
        }
    }

    /** Ends a run whose span never came, at the end of the last that did. */
    private void abandon() {
        long nanos =
                parts.stream().mapToLong(part -> nanos(part.span().end())).max().orElse(0);
        double total = parts.stream()
                .filter(part -> part.origin().kind() == Kind.STEP)
                .map(part -> part.span().attributes().decimal(Names.REWARD))
                .filter(reward -> reward != null)
                .mapToDouble(Double::doubleValue)
                .sum();
        timeline.addEnd(
                nanos,
                seq -> RunEndedBuilder.builder()
                        .run(run)
                        .seq(seq)
                        .nanos(nanos)
                        .outcome(Outcome.ABANDONED)
                        .status(RunStatus.of(RunStatus.ABORTED, "its span never came"))
                        .runPath(settings.runPath())
                        .steps(stepsEnded)
                        .totalReward(total)
                        .rewards(rewards == 0 && total != 0 ? null : (Integer) rewards)
                        .build());
    }

    private record Part(ReceivedSpan span, SourceEvent origin) {}
}
