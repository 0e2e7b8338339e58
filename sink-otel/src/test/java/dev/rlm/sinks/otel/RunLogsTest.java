package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.otel.backend.OtlpLog;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import dev.rlm.sinks.testkit.Events;
import io.opentelemetry.exporter.otlp.logs.OtlpGrpcLogRecordExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.export.SimpleLogRecordProcessor;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the log records of runs say, and in which context. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class RunLogsTest {
    private static final String FINISHED = "rlm.run.finished";
    private static final String REWARD = "gen_ai.evaluation.result";
    private static final Map<String, String> ALL =
            Map.of("RLM_OTEL_LOGS_REWARDS", "true", "RLM_OTEL_LOGS_HEARTBEATS", "true");
    private static final int INFO = 9;
    private static final int WARN = 13;
    private static final int ERROR = 17;

    private final String protocol;

    RunLogsTest(String protocol) {
        this.protocol = protocol;
    }

    @Test
    void end_ofARun_isARecordInTheContextOfItsSpan() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            Run run = rig.sinks()
                    .startRun(RunSpec.builder("calc")
                            .runId("r")
                            .model("gpt")
                            .correlation(Correlation.builder()
                                    .rollout("rollout-7")
                                    .sample("s")
                                    .build())
                            .build());
            run.startStep().complete("");
            rig.clock().advanceMillis(1_500);
            run.reward(0.5);
            run.complete("42", "stop");
            OtlpSpan span = rig.span("rlm.run");

            OtlpLog log = only(rig, FINISHED);
            assertThat(log)
                    .returns(span.traceId(), OtlpLog::traceId)
                    .returns(span.spanId(), OtlpLog::spanId)
                    .returns(1, OtlpLog::flags)
                    .returns(span.endNanos(), OtlpLog::timeNanos)
                    .returns(INFO, OtlpLog::severity)
                    .returns("completed", OtlpLog::body)
                    .returns("dev.rlm.sinks.otel", OtlpLog::scope);
            assertThat(log.resource()).containsEntry("service.name", "rlm").containsKey("service.instance.id");
            assertThat(log.attributes())
                    .containsEntry("rlm.status_code", (long) RunStatus.FINISHED)
                    .containsEntry("rlm.termination_reason", "stop")
                    .containsEntry("rlm.run_duration", 1.5)
                    .containsEntry("rlm.rollout_id", "rollout-7")
                    .containsAllEntriesOf(shared(span))
                    .doesNotContainKeys("rlm.status_message", "error.type", "rlm.task");
            assertThat(shared(span))
                    .containsKeys("rlm.run_id", "rlm.environment", "rlm.model", "rlm.sample_id", "rlm.outcome")
                    .containsKeys("rlm.solved", "rlm.total_steps", "rlm.total_reward");
        }
    }

    /** What span and record have under the same names: all but texts and what only starts tell. */
    private static Map<String, Object> shared(OtlpSpan span) {
        return span.attributes().entrySet().stream()
                .filter(attribute -> attribute.getKey().startsWith("rlm."))
                .filter(attribute ->
                        !Set.of("rlm.task", "rlm.max_steps", "rlm.pass_reward").contains(attribute.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    @Test
    void severity_isThatOfTheOutcome() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            rig.startRun("completed").complete("");
            rig.startRun("aborted").abort("enough\nof it");
            rig.startRun("failed").fail(new IllegalStateException("boom"));
            rig.sinks().publish(ResentTest.abandoned(new Published("died").info(), 2, 1_000));
            rig.flush();

            assertThat(rig.receiver().logs(FINISHED))
                    .extracting(log -> log.attributes().get("rlm.outcome"), OtlpLog::severity, OtlpLog::body)
                    .containsExactlyInAnyOrder(
                            tuple("completed", INFO, "completed"),
                            tuple("aborted", WARN, "aborted: enough of it"),
                            tuple("failed", ERROR, "failed: boom"),
                            tuple("abandoned", ERROR, "abandoned: its process died"));
        }
    }

    @Test
    void details_ofTheStatus_areAttributes_andNumbersThatAreNotFiniteAreNone() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            Events.full("r").forEach(rig.sinks()::publish);
            rig.flush();

            assertThat(only(rig, FINISHED).attributes())
                    .containsKeys("rlm.status_message", "rlm.status_detail.detail", "rlm.metric.tokens")
                    .containsEntry("error.type", "java.lang.IllegalStateException")
                    .doesNotContainKey("rlm.metric.odd")
                    .containsEntry("rlm.left_out", List.of("rlm.metric.odd=Infinity"));
        }
    }

    @Test
    void content_none_leavesNoText() throws IOException {
        try (Rig rig = Rig.by(protocol, with(ALL, "RLM_CAPTURE_CONTENT", "none"))) {
            Run run = rig.startRun("r");
            run.rewardAbsent("judge", "secret words");
            run.fail(new IllegalStateException("secret words"));
            rig.flush();

            assertThat(only(rig, FINISHED))
                    .returns("failed", OtlpLog::body)
                    .satisfies(log -> assertThat(log.attributes()).containsEntry("rlm.outcome", "failed"));
            assertThat(rig.receiver().logs()).hasSize(2);
            assertThat(rig.receiver().logs().toString()).doesNotContain("secret");
        }
    }

    @Test
    void rewardsAndHeartbeats_areRecordsWhereTheyAreAskedFor() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            record(rig);

            assertThat(rig.receiver().logs()).extracting(OtlpLog::eventName).containsExactly(FINISHED);
        }
        try (Rig rig = Rig.by(protocol, ALL)) {
            record(rig);
            OtlpSpan run = rig.span("rlm.run");
            OtlpSpan step = rig.span("rlm.step");

            assertThat(rig.receiver().logs(REWARD))
                    .extracting(
                            OtlpLog::body,
                            OtlpLog::spanId,
                            log -> log.attributes().get("gen_ai.evaluation.score.value"),
                            log -> log.attributes().get("gen_ai.evaluation.name"),
                            log -> log.attributes().get("rlm.step"))
                    .containsExactly(
                            tuple("reward -0.5 by judge", step.spanId(), -0.5, "judge", 1L),
                            tuple("reward absent by judge", run.spanId(), null, "judge", null),
                            tuple("reward 2.0 by judge", run.spanId(), 2.0, "judge", null));
            assertThat(rig.receiver().logs("rlm.run.heartbeat"))
                    .singleElement()
                    .returns(run.spanId(), OtlpLog::spanId)
                    .returns("running: 1 steps, reward -0.5", OtlpLog::body)
                    .satisfies(log -> assertThat(log.attributes())
                            .containsEntry("rlm.run_id", "r")
                            .containsEntry("rlm.status_code", (long) RunStatus.RUNNING)
                            .containsEntry("rlm.total_steps", 1L)
                            .containsEntry("rlm.total_reward", -0.5));
            assertThat(rig.receiver().logs()).extracting(OtlpLog::traceId).containsOnly(run.traceId());
        }
    }

    /** A run with a reward of a step, an absent one, a heartbeat and a reward after its end. */
    private static void record(Rig rig) {
        Run run = rig.startRun("r");
        try (Step step = run.startStep()) {
            step.reward("judge", -0.5, List.of());
            step.complete("");
        }
        rig.flush();
        Published other = new Published("r");
        rig.sinks().publish(new Heartbeat(other.info(), 90, 0, 1, -0.5));
        run.rewardAbsent("judge", "no verdict");
        run.complete("");
        rig.flush();
        rig.sinks().reward("r", "judge", 2.0, List.of());
        rig.flush();
    }

    @Test
    void run_thatIsNotSampled_hasItsRecord() throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("OTEL_TRACES_SAMPLER", "always_off"))) {
            rig.startRun("r").complete("");
            rig.flush();

            assertThat(only(rig, FINISHED))
                    .returns(0, OtlpLog::flags)
                    .returns(rig.sink().traceId("r").orElseThrow(), OtlpLog::traceId);
        }
    }

    @Test
    void secret_ofTheHub_isInNoRecord() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start()) {
            OtelSink sink = OtelSink.builder()
                    .endpoint(URI.create(protocol.equals(Rig.GRPC) ? receiver.grpcEndpoint() : receiver.httpEndpoint()))
                    .protocol(protocol)
                    .header("x-key", "k-1234567890")
                    .build();
            try (Sinks sinks = Sinks.builder().add("otel", sink).build()) {
                sinks.startRun(RunSpec.builder("calc").build())
                        .fail(new IllegalStateException("the key k-1234567890 is bad"));
            }

            assertThat(receiver.logs(FINISHED))
                    .singleElement()
                    .satisfies(
                            log -> assertThat(log.toString()).contains("is bad").doesNotContain("k-1234567890"));
        }
    }

    @ParameterizedTest
    @CsvSource({"RLM_OTEL_LOGS_ENABLED, false", "OTEL_LOGS_EXPORTER, none", "OTEL_SDK_DISABLED, true"})
    void logs_turnedOff_areNotSent(String variable, String value) throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of(variable, value))) {
            rig.startRun("r").complete("");
            rig.flush();

            assertThat(rig.receiver().requests(OtlpSignal.LOGS)).isEmpty();
            assertThat(rig.status().facts()).doesNotContainKey("logs_target");
        }
    }

    @Test
    void injectedOpenTelemetry_getsTheRecords() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start();
                OpenTelemetrySdk sdk = sdk(receiver)) {
            OtelSink sink =
                    OtelSink.builder().openTelemetry(sdk).logRewards(true).build();
            Published run = new Published("r");
            Stream.of(run.started(), run.reward(2, 0.5), run.ended(3)).forEach(sink::onEvent);
            sink.close();
            receiver.await(
                    seen -> seen.logs().size() == 2 && !seen.spans("rlm.run").isEmpty());

            OtlpSpan span = receiver.spans("rlm.run").get(0);
            assertThat(receiver.logs())
                    .extracting(OtlpLog::eventName, OtlpLog::traceId, OtlpLog::spanId)
                    .containsExactlyInAnyOrder( // each is sent by itself
                            tuple(REWARD, span.traceId(), span.spanId()),
                            tuple(FINISHED, span.traceId(), span.spanId()));
            assertThat(sink.acknowledged().delivered()).isEqualTo(3);
        }
    }

    private static OpenTelemetrySdk sdk(OtlpReceiver receiver) {
        return OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(OtlpGrpcSpanExporter.builder()
                                .setEndpoint(receiver.grpcEndpoint())
                                .build()))
                        .build())
                .setLoggerProvider(SdkLoggerProvider.builder()
                        .addLogRecordProcessor(SimpleLogRecordProcessor.create(OtlpGrpcLogRecordExporter.builder()
                                .setEndpoint(receiver.grpcEndpoint())
                                .build()))
                        .build())
                .build();
    }

    private static Map<String, String> with(Map<String, String> variables, String name, String value) {
        Map<String, String> more = new HashMap<>(variables);
        more.put(name, value);
        return more;
    }

    private static OtlpLog only(Rig rig, String eventName) {
        List<OtlpLog> found = rig.receiver().logs(eventName);
        assertThat(found).hasSize(1);
        return found.get(0);
    }
}
