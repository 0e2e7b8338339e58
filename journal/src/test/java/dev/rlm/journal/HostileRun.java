package dev.rlm.journal;

import dev.rlm.sinks.event.ArtifactSavedBuilder;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.OriginalSpan;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RetrievedDocument;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.SpanRecordedBuilder;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.ToolCalledBuilder;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.event.Usage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A run whose events are filled with {@link HostileValues}: each field that may be absent or at its least sometimes is. */
final class HostileRun {
    private static final List<Outcome> OUTCOMES = List.of(Outcome.values());

    private final HostileValues any;
    private final RunInfo run;
    private final Deque<StepStarted> open = new ArrayDeque<>();
    private final List<RunEvent> events = new ArrayList<>();

    private HostileRun(long seed, boolean asRead) {
        any = new HostileValues(seed, asRead);
        run = info(seed);
    }

    /**
     * The run of that seed.
     *
     * @param asRead as a journal gives it back, where that differs: in names that are no well-formed text, and in
     *     parameters that are no numbers
     */
    static List<RunEvent> events(long seed, int count, boolean asRead) {
        return new HostileRun(seed, asRead).events(count);
    }

    /** Likewise numbers that belong to no run. */
    static MetricsReported metrics(long seed, boolean asRead) {
        HostileValues any = new HostileValues(seed, asRead);
        Map<String, Double> values = any.numbers();
        values.put("step" + seed, any.number());
        return new MetricsReported(any.time(), any.nameThatIsNotBlank(), "step" + seed, values);
    }

    private List<RunEvent> events(int count) {
        events.add(new RunStarted(run, 1));
        while (events.size() < count - 1) {
            events.add(next());
        }
        events.add(end());
        return events;
    }

    private RunInfo info(long seed) {
        TraceContext parent = new TraceContext(
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "vendor=state", "key=value");
        return RunInfoBuilder.builder()
                .runId(seed + any.name())
                .startedAt(any.time())
                .task(any.content())
                .environment(any.nameThatIsNotBlank())
                .model(any.name())
                .maxSteps(any.integer() & Integer.MAX_VALUE)
                .seed(any.maybe(any::whole))
                .passReward(any.maybe(any::number))
                .params(any.values())
                .tags(any.texts())
                .correlation(any.chance(2) ? Correlation.NONE : correlation())
                .parent(any.chance(2) ? null : parent)
                .build();
    }

    private Correlation correlation() {
        return CorrelationBuilder.builder()
                .experiment(any.maybe(any::name))
                .invocation(any.maybe(any::name))
                .rollout(any.maybe(any::name))
                .trainerRun(any.maybe(any::name))
                .sample(any.maybe(any::name))
                .row(any.maybe(any::name))
                .trajectoryIndex(any.maybe(any::integer))
                .attempt(any.maybe(any::integer))
                .epoch(any.maybe(any::integer))
                .trainStep(any.maybe(any::whole))
                .split(any.maybe(any::name))
                .policyVersion(any.maybe(any::name))
                .codeVersion(any.maybe(any::name))
                .datasetVersion(any.maybe(any::name))
                .parentRun(any.maybe(any::name))
                .jobSpan(any.maybe(any::name))
                .build();
    }

    private long seq() {
        return events.size() + 1L;
    }

    private long nanos() {
        return any.chance(50) ? any.whole() >> 2 : any.notNegative() >> 20;
    }

    private int step() {
        return any.chance(3) ? RunEvent.NO_STEP : 1 + any.below(1_000);
    }

    private RunEvent next() {
        return switch (any.below(10)) {
            case 0, 1 -> stepStarted();
            case 2, 3 -> open.isEmpty() ? stepStarted() : stepEnded(open.pop());
            case 4 -> modelCalled();
            case 5 -> toolCalled();
            case 6 -> rewardGiven();
            case 7 -> spanRecorded();
            case 8 ->
                ArtifactSavedBuilder.builder()
                        .run(run)
                        .seq(seq())
                        .nanos(nanos())
                        .step(step())
                        .name(any.nameThatIsNotBlank())
                        .mediaType(any.name())
                        .size(any.notNegative())
                        .sha256(any.name())
                        .path(any.name())
                        .absence(any.nameThatIsNotBlank())
                        .build();
            default -> new Heartbeat(run, seq(), nanos(), any.below(1_000), any.number());
        };
    }

    private StepStarted stepStarted() {
        StepStarted step = new StepStarted(run, seq(), nanos(), 1 + any.below(1_000), any.below(3), any.content());
        open.push(step);
        return step;
    }

    private StepEnded stepEnded(StepStarted step) {
        return StepEndedBuilder.builder()
                .started(step)
                .seq(seq())
                .nanos(nanos())
                .actionType(any.name())
                .code(any.content())
                .output(any.content())
                .success(any.chance(2))
                .error(any.maybe(any::content))
                .errorType(any.maybe(any::name))
                .reward(any.number())
                .cumulativeReward(any.number())
                .stateBefore(any.maybe(any::name))
                .stateAfter(any.maybe(any::name))
                .tags(any.texts())
                .build();
    }

    private ModelCalled modelCalled() {
        TokenTrace tokens = new TokenTrace(
                List.of(any.integer()),
                list(any::integer),
                list(any::number),
                any.maybe(any::name),
                any.maybe(any::content),
                list(any::integer));
        return ModelCalledBuilder.builder()
                .run(run)
                .seq(seq())
                .nanos(nanos())
                .step(step())
                .startNanos(nanos())
                .parentSeq(any.below(3))
                .firstTokenNanos(any.maybe(any::whole))
                .provider(any.name())
                .model(any.name())
                .responseId(any.maybe(any::name))
                .responseModel(any.maybe(any::name))
                .serverAddress(any.maybe(any::name))
                .serverPort(any.below(3))
                .parameters(any.values())
                .systemInstructions(any.maybe(any::content))
                .toolDefinitions(any.maybe(any::content))
                .costAmount(any.maybe(any::number))
                .costCurrency(any.maybe(any::name))
                .messages(list(this::message))
                .reply(any.maybe(this::message))
                .usage(new Usage(
                        any.maybe(any::whole),
                        any.maybe(any::whole),
                        any.maybe(any::whole),
                        any.maybe(any::whole),
                        any.maybe(any::whole)))
                .tokens(any.chance(2) ? null : tokens)
                .finishReason(any.maybe(any::name))
                .retries(any.below(3))
                .error(any.maybe(any::content))
                .build();
    }

    private Message message() {
        return new Message(
                any.nameThatIsNotBlank(),
                any.content(),
                list(() -> new Message.ToolRequest(any.name(), any.name(), any.content())),
                any.maybe(any::name),
                list(this::part));
    }

    private MessagePart part() {
        MessagePart.Type[] types = MessagePart.Type.values();
        return new MessagePart(
                types[any.below(types.length)],
                any.maybe(any::content),
                any.maybe(any::name),
                any.maybe(any::name),
                any.maybe(any::name),
                any.maybe(any::name),
                any.maybe(any::name));
    }

    private <T> List<T> list(Supplier<T> element) {
        List<T> list = new ArrayList<>();
        for (int i = any.below(3); i > 0; i--) {
            list.add(element.get());
        }
        return list;
    }

    private ToolCalled toolCalled() {
        return ToolCalledBuilder.builder()
                .run(run)
                .seq(seq())
                .nanos(nanos())
                .step(step())
                .startNanos(nanos())
                .parentSeq(any.below(3))
                .tool(any.nameThatIsNotBlank())
                .provider(any.name())
                .callId(any.maybe(any::name))
                .arguments(any.content())
                .result(any.content())
                .statusCode(any.integer())
                .retries(any.below(3))
                .error(any.maybe(any::content))
                .attributes(any.values())
                .documents(list(() -> new RetrievedDocument(any.name(), any.maybe(any::number), any.maybe(any::name))))
                .originalSpan(any.maybe(() -> new OriginalSpan("00f067aa0ba902b7", any.name(), any.values())))
                .build();
    }

    private RewardGiven rewardGiven() {
        return RewardGivenBuilder.builder()
                .run(run)
                .seq(seq())
                .nanos(nanos())
                .step(step())
                .source(any.nameThatIsNotBlank())
                .value(any.number())
                .solved(any.chance(9) ? any.chance(2) : null)
                .absence(any.chance(5) ? any.name() : null)
                .components(list(() -> new RewardComponent(
                        any.nameThatIsNotBlank(), any.number(), any.number(), any.maybe(any::name))))
                .startNanos(nanos())
                .build();
    }

    private SpanRecorded spanRecorded() {
        return SpanRecordedBuilder.builder()
                .run(run)
                .seq(seq())
                .nanos(nanos())
                .step(step())
                .startNanos(nanos())
                .name(any.nameThatIsNotBlank())
                .parentSeq(any.below(3))
                .attributes(any.values())
                .error(any.maybe(any::content))
                .build();
    }

    private RunEnded end() {
        return RunEndedBuilder.builder()
                .run(run)
                .seq(seq())
                .nanos(nanos())
                .outcome(OUTCOMES.get(any.below(OUTCOMES.size())))
                .status(new RunStatus(any.integer(), any.name(), any.texts()))
                .solved(any.chance(2))
                .runPath(any.maybe(any::name))
                .terminationReason(any.maybe(any::name))
                .truncated(any.chance(2))
                .steps(any.below(1_000))
                .totalReward(any.number())
                .absentRewards(any.below(3))
                .rewards(any.maybe(() -> any.below(5)))
                .finalAnswer(any.maybe(any::content))
                .initialState(any.maybe(any::name))
                .metrics(any.numbers())
                .errorType(any.maybe(any::name))
                .error(any.maybe(any::content))
                .build();
    }
}
