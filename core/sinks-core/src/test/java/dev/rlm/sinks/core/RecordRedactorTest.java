package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.ArtifactSavedBuilder;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RetrievedDocument;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecordedBuilder;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.ToolCalledBuilder;
import dev.rlm.sinks.event.TraceContext;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** A secret at every door: no sink ever sees it. */
@Timeout(60)
class RecordRedactorTest {
    private static final String SECRET = "planted-s3cret-value";
    private static final String TEXT = "a " + SECRET + " b";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Recorder recorder = new Recorder();

    // ---- the handles

    /** What a caller can say by a handle, one string at a time. */
    private static Map<String, BiConsumer<Sinks, String>> doors() {
        Map<String, BiConsumer<Sinks, String>> doors = new LinkedHashMap<>();
        specDoors(doors);
        stepDoors(doors);
        callDoors(doors);
        rewardDoors(doors);
        endDoors(doors);
        return doors;
    }

    private static void specDoors(Map<String, BiConsumer<Sinks, String>> doors) {
        doors.put("run id", (sinks, text) -> start(sinks, spec().runId(text)));
        doors.put("environment", (sinks, text) -> start(sinks, RunSpec.builder(text)));
        doors.put("task", (sinks, text) -> start(sinks, spec().task(text)));
        doors.put("model", (sinks, text) -> start(sinks, spec().model(text)));
        doors.put("param", (sinks, text) -> start(sinks, spec().param("p", List.of(text))));
        doors.put("param name", (sinks, text) -> start(sinks, spec().param(text, 1)));
        doors.put("tag", (sinks, text) -> start(sinks, spec().tag("t", text)));
        doors.put("tag name", (sinks, text) -> start(sinks, spec().tag(text, "t")));
        for (RecordComponent id : Correlation.class.getRecordComponents()) {
            if (id.getType() == String.class) {
                doors.put(
                        "correlation: " + id.getName(),
                        (sinks, text) -> start(sinks, spec().correlation(with(id, text))));
            }
        }
        doors.put(
                "baggage",
                (sinks, text) -> start(sinks, spec().parent(TraceContext.NONE.withBaggageEntry("user", text))));
        doors.put(
                "baggage that names a run",
                (sinks, text) ->
                        start(sinks, spec().parent(TraceContext.NONE.withBaggageEntry(TraceContext.RUN_ID, text))));
        doors.put(
                "tracestate",
                (sinks, text) -> start(
                        sinks,
                        spec().parent(new TraceContext(
                                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                                "v=" + text.replace(' ', '-'),
                                null))));
    }

    private static void stepDoors(Map<String, BiConsumer<Sinks, String>> doors) {
        doors.put("observation", inRun((run, text) -> run.startStep(text).close()));
        doors.put("action type", inStep((step, text) -> step.action(text, "")));
        doors.put("code", inStep((step, text) -> step.action("x", text)));
        doors.put("state before", inStep((step, text) -> step.state(text, "")));
        doors.put("state after", inStep((step, text) -> step.state("", text)));
        doors.put("step tag", inStep((step, text) -> step.tag("t", text)));
        doors.put("step tag name", inStep((step, text) -> step.tag(text, "t")));
        doors.put("file name", inStep((step, text) -> step.artifact(text, "text/plain", new byte[1])));
        doors.put("media type", inStep((step, text) -> step.artifact("f", text, new byte[1])));
        doors.put("path", inStep((step, text) -> step.artifact(Path.of(text, "f"))));
        doors.put("output", inStep(Step::complete));
        doors.put("step error", inStep((step, text) -> step.fail(text, text)));
        doors.put("step abort", inStep(Step::abort));
    }

    private static void callDoors(Map<String, BiConsumer<Sinks, String>> doors) {
        doors.put("tool", inStep((step, text) -> step.startToolCall(text).close()));
        doors.put("arguments", inTool(ToolCall::arguments));
        doors.put("tool provider", inTool(ToolCall::provider));
        doors.put("call id", inTool(ToolCall::callId));
        doors.put("result", inTool(ToolCall::result));
        doors.put("tool error", inTool((call, text) -> call.fail(2, text)));
        doors.put(
                "provider",
                inStep((step, text) -> step.startModelCall(text, "m").close()));
        doors.put(
                "asked model",
                inStep((step, text) -> step.startModelCall("p", text).close()));
        doors.put("server", inCall((call, text) -> call.server(text, 443)));
        doors.put("response id", inCall((call, text) -> call.response(text, "m")));
        doors.put("response model", inCall((call, text) -> call.response("id", text)));
        doors.put("parameter", inCall((call, text) -> call.parameter("p", Map.of("x", text))));
        doors.put("parameter name", inCall((call, text) -> call.parameter(text, 1)));
        doors.put("system instructions", inCall(ModelCall::systemInstructions));
        doors.put("tool definitions", inCall(ModelCall::toolDefinitions));
        doors.put("currency", inCall((call, text) -> call.cost(1, text)));
        doors.put("message", inCall((call, text) -> call.message("user", text)));
        doors.put("role", inCall((call, text) -> call.message(text, "x")));
        doors.put("text part", inCall((call, text) -> call.messageParts("user", parts -> parts.text(text))));
        doors.put("document id", inTool((call, text) -> call.document(text, 1.0, null)));
        doors.put("document hash", inTool((call, text) -> call.document("d", null, text)));
        doors.put("role of parts", inCall((call, text) -> call.messageParts(text, parts -> parts.text("x"))));
        doors.put("reasoning", inCall((call, text) -> call.replyParts(parts -> parts.reasoning(text))));
        doors.put("call part", inCall((call, text) -> call.replyParts(parts -> parts.toolCall(text, text, text))));
        doors.put(
                "result part",
                inCall((call, text) -> call.messageParts("tool", parts -> parts.toolResult(text, text))));
        doors.put("image", inCall((call, text) -> call.messageParts("user", parts -> parts.image(text, text, text))));
        doors.put("audio", inCall((call, text) -> call.messageParts("user", parts -> parts.audio(text, text, text))));
        doors.put("file", inCall((call, text) -> call.messageParts("user", parts -> parts.file(text, text, text))));
        doors.put("tool message", inCall((call, text) -> call.toolMessage("id", text)));
        doors.put("tool message id", inCall((call, text) -> call.toolMessage(text, "x")));
        doors.put("reply", inCall(ModelCall::reply));
        doors.put("request id", inCall((call, text) -> call.toolRequest(text, "t", "{}")));
        doors.put("requested tool", inCall((call, text) -> call.toolRequest("id", text, "{}")));
        doors.put("request arguments", inCall((call, text) -> call.toolRequest("id", "t", text)));
        doors.put(
                "weights version",
                inCall((call, text) -> call.tokens(new TokenTrace(List.of(1), List.of(2), List.of(0.5), text))));
        doors.put(
                "token texts",
                inCall((call, text) -> call.tokens(
                        new TokenTrace(List.of(), List.of(), List.of(), null),
                        List.of(text.substring(0, 3), text.substring(3)))));
        doors.put("finish reason", inCall(ModelCall::finishReason));
        doors.put("model error", inCall(ModelCall::fail));
    }

    private static void rewardDoors(Map<String, BiConsumer<Sinks, String>> doors) {
        doors.put("step reward source", inStep((step, text) -> step.reward(text, 1, List.of())));
        doors.put("component", inStep((step, text) -> step.reward("s", 1, part(text, null))));
        doors.put("component unit", inStep((step, text) -> step.reward("s", 1, part("c", text))));
        doors.put("step absence", inStep((step, text) -> step.rewardAbsent("s", text)));
        doors.put("reward source", inRun((run, text) -> run.reward(text, 1, List.of())));
        doors.put("absence", inRun((run, text) -> run.rewardAbsent("s", text)));
        doors.put(
                "evaluation source",
                inRun((run, text) -> run.startEvaluation(text).reward(1, List.of())));
        doors.put(
                "evaluation component",
                inRun((run, text) -> run.startEvaluation("s").reward(1, part(text, text))));
        doors.put(
                "evaluation absence",
                inRun((run, text) -> run.startEvaluation("s").absent(text)));
        doors.put("late reward", (sinks, text) -> {
            start(sinks, spec().runId("late"));
            assertThat(sinks.reward("late", text, 1, part(text, text))).isTrue();
        });
        doors.put("late reward of a run with such an id", (sinks, text) -> {
            start(sinks, spec().runId(text));
            assertThat(sinks.rewardAbsent(text, text, text)).isTrue();
        });
    }

    private static void endDoors(Map<String, BiConsumer<Sinks, String>> doors) {
        doors.put("initial state", inRun(Run::initialState));
        doors.put("metric", inRun((run, text) -> run.metric(text, 1)));
        doors.put("answer", inRun((run, text) -> run.complete(text, "x")));
        doors.put("termination reason", inRun((run, text) -> run.complete("x", text)));
        doors.put("truncation", inRun((run, text) -> run.truncate(text, text)));
        doors.put("abort", inRun(Run::abort));
        doors.put("failure", inRun((run, text) -> run.fail(2, new IllegalStateException(text, new Error(text)))));
    }

    private static Correlation with(RecordComponent id, String text) {
        Object[] values = Stream.of(Correlation.class.getRecordComponents())
                .map(component -> component.getName().equals(id.getName()) ? text : null)
                .toArray();
        return (Correlation) make(Correlation.class, values);
    }

    private static Object make(Class<?> record, Object[] values) {
        try {
            Class<?>[] types = Stream.of(record.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new);
            Constructor<?> constructor = record.getDeclaredConstructor(types);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a record can be made and read", e);
        }
    }

    private static RunSpec.Builder spec() {
        return RunSpec.builder("calc");
    }

    private static void start(Sinks sinks, RunSpec.Builder spec) {
        sinks.startRun(spec.build()).complete("done");
    }

    private static List<RewardComponent> part(String name, @Nullable String unit) {
        return List.of(new RewardComponent(name, 1, 1, unit));
    }

    private static BiConsumer<Sinks, String> inRun(BiConsumer<Run, String> saying) {
        return (sinks, text) -> {
            try (Run run = sinks.startRun(spec().build())) {
                saying.accept(run, text);
            }
        };
    }

    private static BiConsumer<Sinks, String> inStep(BiConsumer<Step, String> saying) {
        return inRun((run, text) -> {
            try (Step step = run.startStep()) {
                saying.accept(step, text);
            }
        });
    }

    private static BiConsumer<Sinks, String> inTool(BiConsumer<ToolCall, String> saying) {
        return inStep((step, text) -> {
            try (ToolCall call = step.startToolCall("t")) {
                saying.accept(call, text);
            }
        });
    }

    private static BiConsumer<Sinks, String> inCall(BiConsumer<ModelCall, String> saying) {
        return inStep((step, text) -> {
            try (ModelCall call = step.startModelCall("p", "m")) {
                saying.accept(call, text);
            }
        });
    }

    @TestFactory
    Stream<DynamicTest> secret_saidByAHandle_isSeenByNoSink() {
        return doors().entrySet().stream()
                .map(door -> dynamicTest(door.getKey(), () -> {
                    Recorder seen = new Recorder();
                    try (Sinks sinks =
                            Sinks.builder().add("x", seen).secret(SECRET).build()) {
                        door.getValue().accept(sinks, TEXT);
                        assertThat(sinks.statuses().get(0).ledger().dropped()).isEmpty();
                    }
                    assertThat(seen.events().toString())
                            .doesNotContain(SECRET)
                            .contains("REDACTED"); // in baggage it is encoded
                }));
    }

    // ---- published events

    /** Every string of every kind of event, by the records' own description. */
    @TestFactory
    Stream<DynamicTest> secret_inAnyFieldOfAPublishedEvent_isSeenByNoSink() {
        return examples(TEXT).stream()
                .map(event -> dynamicTest(event.getClass().getSimpleName(), () -> {
                    assertThat(event.toString()).contains(SECRET);
                    Recorder seen = new Recorder();
                    try (Sinks sinks =
                            Sinks.builder().add("x", seen).secret(SECRET).build()) {
                        sinks.publish(event);
                        sinks.flush(PATIENCE);
                    }
                    assertThat(seen.events()).hasSize(1);
                    assertThat(seen.events().get(0).toString())
                            .doesNotContain(SECRET)
                            .contains("[REDACTED:registered:");
                }));
    }

    /** One event of each kind with the text in all strings that it has. */
    private static List<Event> examples(String text) {
        RunInfo run = run(text);
        StepStarted step = new StepStarted(run, 2, 0, 1, 0, Content.EMPTY);
        MessagePart image = new MessagePart(MessagePart.Type.IMAGE, null, text, text, text, text, text);
        List<Message.ToolRequest> calls = List.of(new Message.ToolRequest(text, text, Content.EMPTY));
        Message message = new Message(text, Content.EMPTY, calls, text, List.of(image));
        List<Event> all = List.of(
                new RunStarted(run, 1),
                step,
                ModelCalledBuilder.builder()
                        .run(run)
                        .seq(3)
                        .step(1)
                        .provider(text)
                        .model(text)
                        .responseId(text)
                        .responseModel(text)
                        .serverAddress(text)
                        .parameters(Map.of(text, List.of(text, Map.of("x", text))))
                        .messages(List.of(message))
                        .reply(message)
                        .tokens(new TokenTrace(List.of(), List.of(), List.of(), text))
                        .costCurrency(text)
                        .finishReason(text)
                        .build(),
                ToolCalledBuilder.builder()
                        .run(run)
                        .seq(4)
                        .step(1)
                        .tool(text)
                        .provider(text)
                        .callId(text)
                        .attributes(Map.of(text, List.of(text, Map.of("x", text))))
                        .documents(List.of(new RetrievedDocument(text, 1.0, text)))
                        .build(),
                RewardGivenBuilder.builder()
                        .run(run)
                        .seq(5)
                        .step(1)
                        .source(text)
                        .absence(text)
                        .components(part(text, text))
                        .build(),
                StepEndedBuilder.builder()
                        .started(step)
                        .seq(6)
                        .actionType(text)
                        .success(true)
                        .errorType(text)
                        .stateBefore(text)
                        .stateAfter(text)
                        .tags(Map.of(text, text))
                        .build(),
                SpanRecordedBuilder.builder()
                        .run(run)
                        .seq(7)
                        .name(text)
                        .attributes(Map.of(text, text))
                        .build(),
                ArtifactSavedBuilder.builder()
                        .run(run)
                        .seq(8)
                        .name(text)
                        .mediaType(text)
                        .size(1)
                        .sha256(text)
                        .path(text)
                        .absence(text)
                        .build(),
                new Heartbeat(run, 9, 0, 1, 0),
                new MetricsReported(Instant.EPOCH, text, text, Map.of(text, 1.0)),
                RunEndedBuilder.builder()
                        .run(run)
                        .seq(10)
                        .outcome(Outcome.FAILED)
                        .status(new RunStatus(2, text, Map.of(text, text)))
                        .runPath(text)
                        .terminationReason(text)
                        .initialState(text)
                        .steps(1)
                        .metrics(Map.of(text, 1.0))
                        .errorType(text)
                        .build());
        all.forEach(event -> assertThat(strings(event))
                .as("%s", event.getClass())
                .isNotEmpty()
                .allMatch(string -> string.contains(SECRET) || string.equals("x") || string.startsWith("user=")));
        return all;
    }

    private static RunInfo run(String text) {
        Object[] ids = Stream.of(Correlation.class.getRecordComponents())
                .map(component -> component.getType() == String.class ? text : null)
                .toArray();
        return RunInfoBuilder.builder()
                .runId(text)
                .startedAt(Instant.EPOCH)
                .environment(text)
                .model(text)
                .params(Map.of(text, text))
                .tags(Map.of(text, text))
                .correlation((Correlation) make(Correlation.class, ids))
                .parent(TraceContext.NONE.withBaggageEntry("user", text))
                .build();
    }

    /** All strings in a record, and in what it is made of. */
    private static Stream<String> stringsIn(Object value) {
        if (value instanceof String text) {
            return Stream.of(text);
        } else if (value instanceof Record record) {
            return Arrays.stream(record.getClass().getRecordComponents()).flatMap(part -> stringsIn(get(record, part)));
        } else if (value instanceof Collection<?> list) {
            return list.stream().flatMap(RecordRedactorTest::stringsIn);
        } else if (value instanceof Map<?, ?> map) {
            return Stream.concat(stringsIn(map.keySet()), stringsIn(map.values()));
        }
        return Stream.empty();
    }

    private static List<String> strings(Object value) {
        return stringsIn(value).toList();
    }

    private static Object get(Record record, RecordComponent part) {
        try {
            return part.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a record can be made and read", e);
        }
    }

    @Test
    void published_withoutSecrets_isTheSameObject() {
        List<Event> events = examples("no " + SECRET);
        try (Sinks sinks = Sinks.builder().add("x", recorder).build()) {
            events.forEach(sinks::publish);
        }
        for (int i = 0; i < events.size(); i++) {
            assertThat(recorder.events().get(i)).isSameAs(events.get(i));
        }
    }

    @Test
    void resent_isNotChanged_andImportedIs() {
        List<Event> events = examples(TEXT);
        try (Sinks sinks =
                Sinks.builder().add("x", recorder).secret(SECRET).resending().build()) {
            events.forEach(sinks::publish);
        }
        assertThat(recorder.events()).isEqualTo(events);
        Recorder imported = new Recorder();
        try (Sinks sinks =
                Sinks.builder().add("x", imported).secret(SECRET).importing().build()) {
            events.forEach(sinks::publish);
        }
        assertThat(imported.events().toString()).doesNotContain(SECRET);
    }

    // ---- redaction that is off

    @Test
    void redactionThatIsOff_isATagOfEveryRun() {
        try (Sinks sinks = Sinks.builder().add("x", recorder).withoutRedaction().build()) {
            start(sinks, spec().tag("a", "b").tag("redaction", "on"));
            examples(TEXT).forEach(sinks::publish);
        }
        assertThat(recorder.events(RunStarted.class))
                .hasSize(2)
                .allSatisfy(start -> assertThat(start.run().tags()).containsEntry("redaction", "off"));
        assertThat(recorder.events(StepEnded.class).get(0).run().tags())
                .containsEntry("redaction", "off")
                .containsEntry(TEXT, TEXT);
        Recorder other = new Recorder();
        try (Sinks sinks = Sinks.builder().add("x", other).build()) {
            start(sinks, spec());
        }
        assertThat(other.only(RunStarted.class).run().tags()).isEmpty();
    }

    @Test
    void redactionThatIsOff_byVariable_isATagToo() {
        SinkConfig config = SinkConfig.of(Map.of("RLM_REDACT", "false"));
        try (Sinks sinks = Sinks.builder()
                .config(config)
                .only(List.of())
                .add("x", recorder)
                .build()) {
            start(sinks, spec());
        }
        assertThat(recorder.only(RunStarted.class).run().tags()).containsExactly(Map.entry("redaction", "off"));
    }

    // ---- whose secrets

    @Test
    void secretsOfASink_areKnownFromWhenItIsAdded() {
        Sink keyed = new Sink() {
            @Override
            public Collection<String> secrets() {
                return List.of(SECRET);
            }

            @Override
            public Health status() {
                return new Health(true, TEXT, Map.of(TEXT, TEXT));
            }

            @Override
            public Optional<URI> location(String runId) {
                return Optional.of(URI.create("http://user:" + SECRET + "@[::1]/" + runId));
            }
        };
        try (Sinks sinks = Sinks.builder().add("x", recorder).build()) {
            sinks.add("keyed", keyed);
            start(sinks, spec().tag("t", TEXT));
            assertThat(sinks.statuses().toString()).doesNotContain(SECRET);
            assertThat(sinks.locations("r").values())
                    .singleElement()
                    .satisfies(place ->
                            assertThat(place.toString()).doesNotContain(SECRET).contains("%5BREDACTED:", "/r"));
            assertThat(sinks.redactions().secrets()).containsKey("registered");
        }
        assertThat(recorder.events().toString()).doesNotContain(SECRET);
    }

    @Test
    void secretOfASystemProperty_isKnown_whateverItsName() {
        System.setProperty("some.program.apiToken", SECRET);
        try (Sinks sinks = Sinks.builder().add("x", recorder).build()) {
            start(sinks, spec().tag("t", TEXT));
        } finally {
            System.clearProperty("some.program.apiToken");
        }
        assertThat(recorder.events().toString()).doesNotContain(SECRET).contains("[REDACTED:env:");
    }

    @Test
    void secretOfASetting_thatWasGivenByHand_isKnown() {
        SinkConfig config = SinkConfig.of(Map.of()).with("RLM_X_API_TOKEN", SECRET);
        try (Sinks sinks = Sinks.builder()
                .config(config)
                .only(List.of())
                .add("x", recorder)
                .build()) {
            start(sinks, spec().tag("t", TEXT));
        }
        assertThat(recorder.events().toString()).doesNotContain(SECRET).contains("[REDACTED:env:");
    }
}
