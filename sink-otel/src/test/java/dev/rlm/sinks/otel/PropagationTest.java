package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Traces that go on in another process: what a run hands down, and what becomes of what it was handed. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class PropagationTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";

    private final String protocol;
    private final Rig rig; // of the parent's process
    private final Rig other; // of the child's

    PropagationTest(String protocol) throws IOException {
        this.protocol = protocol;
        rig = Rig.by(protocol);
        other = Rig.by(protocol);
    }

    @AfterEach
    void stop() {
        rig.close();
        other.close();
    }

    private static RunSpec.Builder spec(String runId) {
        return RunSpec.builder("calc").runId(runId);
    }

    @Test
    void child_ofAStepThatIsOpen_isUnderItsSpan() {
        try (Run mother = rig.startRun("mother");
                Step step = mother.startStep()) {
            Map<String, String> environment = step.traceContext().orElseThrow().toEnvironment();
            other.sinks().startRun(spec("child").parent(environment).build()).complete("");
            assertThat(rig.receiver().spans("rlm.step")).isEmpty();
            step.complete("");
            mother.complete("");
        }

        assertThat(other.span("rlm.run"))
                .returns(rig.span("rlm.step").traceId(), OtlpSpan::traceId)
                .returns(rig.span("rlm.step").spanId(), OtlpSpan::parentId)
                .satisfies(child -> assertThat(child.links()).isEmpty())
                .satisfies(child -> assertThat(child.attributes()).containsEntry("rlm.parent_run_id", "mother"));
    }

    @Test
    void runs_nestedInOneProcess_areOneTrace() {
        Run mother = rig.startRun("mother");
        Run child = rig.sinks().startRun(spec("child").parent(mother).build());
        Run grandchild = rig.sinks()
                .startRun(spec("grandchild").parent(child.startStep()).build());
        grandchild.complete("");
        child.complete("");
        mother.complete("");
        rig.flush();

        OtlpSpan top = run("mother");
        OtlpSpan middle = run("child");
        OtlpSpan bottom = run("grandchild");
        assertThat(middle.parentId()).isEqualTo(top.spanId());
        assertThat(bottom.parentId()).isEqualTo(rig.span("rlm.step").spanId());
        assertThat(rig.span("rlm.step").parentId()).isEqualTo(middle.spanId());
        assertThat(rig.receiver().spans()).extracting(OtlpSpan::traceId).containsOnly(top.traceId());
        assertThat(bottom.attributes()).containsEntry("rlm.parent_run_id", "child");
    }

    private OtlpSpan run(String runId) {
        return rig.receiver().spans("rlm.run").stream()
                .filter(span -> runId.equals(span.attributes().get("rlm.run_id")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void tracestateAndBaggage_arePassedOn() {
        TraceContext upstream = new TraceContext("00-" + TRACE + "-" + SPAN + "-01", "vendor=state", "k=a%20b");
        try (Run run = rig.sinks().startRun(spec("r").parent(upstream).build());
                Step step = run.startStep()) {
            TraceContext handed = step.traceContext().orElseThrow();
            assertThat(handed.traceparent()).startsWith("00-" + TRACE + "-").endsWith("-01");
            assertThat(handed.tracestate()).isEqualTo("vendor=state");
            assertThat(handed.baggage()).isEqualTo("rlm.run_id=r,k=a%20b");
            step.complete("");
            run.complete("");
        }

        assertThat(rig.span("rlm.run")).returns(SPAN, OtlpSpan::parentId).returns("vendor=state", OtlpSpan::traceState);
        assertThat(rig.span("rlm.step")).returns("vendor=state", OtlpSpan::traceState);
    }

    @Test
    void entriesOfBaggage_thatAreNamed_areAttributesOfEverySpan() throws IOException {
        String secret = "s3cr3t-" + "token-4711";
        TraceContext upstream = TraceContext.NONE
                .withBaggage("tenant=a%20b;ttl=1,other=x,rlm.run_id=mother")
                .withBaggageEntry("user.id", "me " + secret)
                .withBaggageEntry("rlm.environment", "faked");
        Map<String, String> variables = Map.of("RLM_BAGGAGE_ATTRIBUTES", "tenant, user.id,missing,rlm.environment");
        try (Rig named = Rig.by(protocol, variables)) {
            named.sinks().registerSecret(secret);
            try (Run run = named.sinks().startRun(spec("r").parent(upstream).build());
                    Step step = run.startStep()) {
                step.startModelCall("p", "m").close();
                step.startToolCall("t").close();
                step.span("own").close();
                try (Evaluation judging = step.startEvaluation("judge")) {
                    named.clock().advanceMillis(1);
                    judging.reward(1);
                }
                step.complete("");
                run.complete("");
            }
            named.sinks().startRun(spec("without").build()).complete("");
            named.flush();

            assertThat(named.receiver().spans())
                    .filteredOn(span -> "r".equals(span.attributes().get("rlm.run_id")))
                    .extracting(OtlpSpan::name)
                    .containsExactlyInAnyOrder(
                            "rlm.run.started", "chat m", "execute_tool t", "own", "rlm.reward", "rlm.step", "rlm.run");
            assertThat(named.receiver().spans()).allSatisfy(span -> {
                boolean with = "r".equals(span.attributes().get("rlm.run_id"));
                assertThat(span.attributes().get("tenant")).isEqualTo(with ? "a b" : null);
                assertThat(String.valueOf(span.attributes().get("user.id")))
                        .startsWith(with ? "me [REDACTED:" : "null");
                assertThat(span.attributes())
                        .containsEntry("rlm.environment", "calc")
                        .doesNotContainKeys("other", "missing");
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a,,b", "a b", "user.id,tenant=x", ","})
    void keysOfBaggage_thatAreNone_areRefused(String keys) {
        assertThatThrownBy(() -> Rig.by(protocol, Map.of("RLM_BAGGAGE_ATTRIBUTES", keys)))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageStartingWith("RLM_BAGGAGE_ATTRIBUTES is not valid at '")
                .hasMessageEndingWith("': expected keys of baggage, separated by commas, such as user.id,tenant");
        assertThatThrownBy(() -> OtelSink.builder().baggageAttributes(List.of(keys)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void parentThatIsNotSampled_hasNoSampledChildren() {
        try (Run run = rig.sinks()
                .startRun(spec("r")
                        .traceparent("00-" + TRACE + "-" + SPAN + "-00")
                        .build())) {
            assertThat(run.traceContext().orElseThrow().traceparent())
                    .startsWith("00-" + TRACE + "-")
                    .endsWith("-00");
            other.sinks().startRun(spec("child").parent(run).build()).complete("");
            run.complete("");
        }
        rig.flush();
        other.flush();

        assertThat(rig.receiver().spans()).isEmpty();
        assertThat(other.receiver().spans()).isEmpty();
        assertThat(other.ledger().dropped()).containsOnlyKeys("not_sampled");
    }

    @Test
    void run_thatItsOwnSamplerLeavesOut_saysSo() throws IOException {
        try (Rig off = Rig.by(protocol, Map.of("OTEL_TRACES_SAMPLER", "always_off"));
                Run run = off.startRun("r")) {
            assertThat(run.traceContext().orElseThrow().traceparent())
                    .startsWith("00-454349e422f05297191ead13e21d3db5-")
                    .endsWith("-00");
        }
    }

    @Test
    void run_thatHasEnded_isStillAParent() {
        Run mother = rig.startRun("mother");
        mother.complete("");
        rig.flush();
        other.sinks().startRun(spec("child").parent(mother).build()).complete("");

        assertThat(other.span("rlm.run").parentId())
                .isEqualTo(rig.span("rlm.run").spanId());
    }

    @Test
    void childThatKnowsOnlyTheBaggage_isLinked() {
        Map<String, String> carrier = Map.of("baggage", "rlm.run_id=mother", "traceparent", "nonsense");
        Run mother = rig.startRun("mother");
        other.sinks().startRun(spec("child").parent(carrier).build()).complete("");
        mother.complete("");

        OtlpSpan parent = rig.span("rlm.run");
        assertThat(other.span("rlm.run"))
                .returns("", OtlpSpan::parentId)
                .satisfies(child -> assertThat(child.links())
                        .containsExactly(new OtlpSpan.Link(parent.traceId(), parent.spanId(), Map.of())));
    }

    @Test
    void injectedOpenTelemetry_handsDownItsOwnSpans() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start();
                OpenTelemetrySdk sdk = sdk(receiver);
                OtelSink sink = OtelSink.builder().openTelemetry(sdk).build();
                Sinks sinks = Sinks.builder().add("otel", sink).build()) {
            TraceContext upstream = new TraceContext("00-" + TRACE + "-" + SPAN + "-01", "vendor=state", null);
            Run run = sinks.startRun(spec("r").parent(upstream).build());
            Step step = run.startStep();
            other.sinks().startRun(spec("of-step").parent(step).build()).complete("");
            step.complete("");
            run.complete("");
            sinks.flush(Duration.ofSeconds(20));
            receiver.await(seen -> !seen.spans("rlm.step").isEmpty());

            OtlpSpan span = receiver.spans("rlm.step").get(0);
            assertThat(other.span("rlm.run"))
                    .returns(TRACE, OtlpSpan::traceId)
                    .returns(span.spanId(), OtlpSpan::parentId)
                    .returns("vendor=state", OtlpSpan::traceState);
            // The span is gone: what the run was handed itself is the best that is left.
            assertThat(run.traceContext().orElseThrow().traceparent()).isEqualTo(upstream.traceparent());
        }
    }

    private static OpenTelemetrySdk sdk(OtlpReceiver receiver) {
        return OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(OtlpGrpcSpanExporter.builder()
                                .setEndpoint(receiver.grpcEndpoint())
                                .build()))
                        .build())
                .build();
    }
}
