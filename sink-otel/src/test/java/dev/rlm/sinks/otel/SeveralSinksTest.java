package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.otel.backend.OtlpAnswer;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpRequest;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several sinks in one process: each has its own back end, gets everything, and keeps its headers to itself. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class SeveralSinksTest {
    private static final List<String> READ_BY_THE_SDK = List.of(
            "otel.exporter.otlp.headers", "otel.exporter.otlp.traces.headers", "otel.exporter.otlp.metrics.headers");

    private final String protocol;
    private final OtlpReceiver one = OtlpReceiver.start();
    private final OtlpReceiver two = OtlpReceiver.start();

    SeveralSinksTest(String protocol) throws IOException {
        this.protocol = protocol;
    }

    @AfterEach
    void stop() {
        READ_BY_THE_SDK.forEach(System::clearProperty);
        one.close();
        two.close();
    }

    private String endpoint(OtlpReceiver receiver) {
        return protocol.equals(Rig.GRPC) ? receiver.grpcEndpoint() : receiver.httpEndpoint();
    }

    private Map<String, String> variables() {
        Map<String, String> variables = new HashMap<>(Map.of(
                "RLM_OTEL_ENABLED", "true",
                "OTEL_EXPORTER_OTLP_ENDPOINT", endpoint(one),
                "OTEL_EXPORTER_OTLP_PROTOCOL", protocol,
                "OTEL_EXPORTER_OTLP_HEADERS", "x-key=key-of-one",
                "OTEL_SERVICE_NAME", "trainer",
                "OTEL_METRIC_EXPORT_INTERVAL", "600000",
                "OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED", "true"));
        variables.putAll(Map.of(
                "RLM_OTEL_LANGFUSE_ENABLED",
                "true",
                "RLM_OTEL_LANGFUSE_EXPORTER_OTLP_ENDPOINT",
                endpoint(two),
                "RLM_OTEL_LANGFUSE_EXPORTER_OTLP_PROTOCOL",
                protocol));
        return variables;
    }

    private static Sinks sinks(Map<String, String> variables) {
        return Sinks.builder().config(SinkConfig.of(variables)).build();
    }

    private static void record(Sinks sinks) {
        try (Run run = sinks.startRun(
                RunSpec.builder("calc").runId("r").task("the task").build())) {
            run.startStep().complete("done");
            run.reward(-0.5);
            run.complete("");
        }
        sinks.flush(Duration.ofSeconds(20));
    }

    @Test
    void everySink_getsEverything_withTheSameIds() {
        try (Sinks sinks = sinks(variables())) {
            record(sinks);

            assertThat(two.spans()).hasSameSizeAs(one.spans()).isNotEmpty();
            assertThat(ids(two)).containsExactlyInAnyOrderElementsOf(ids(one));
            assertThat(two.numbers("rlm.runs")).hasSameSizeAs(one.numbers("rlm.runs"));
            assertThat(two.histograms("rlm.reward").get(0).sum()).isEqualTo(-0.5);
            assertThat(two.spans())
                    .allMatch(span -> "trainer".equals(span.resource().get("service.name")));
            List<SinkStatus> on =
                    sinks.statuses().stream().filter(SinkStatus::enabled).toList();
            assertThat(on).extracting(SinkStatus::name).containsExactly("otel", "otel-langfuse");
            assertThat(on).extracting(status -> status.ledger().delivered()).containsExactly(5L, 5L);
        }
    }

    private static List<String> ids(OtlpReceiver receiver) {
        return receiver.spans().stream()
                .map(span -> span.name() + " " + span.traceId() + " " + span.spanId() + " " + span.parentId())
                .toList();
    }

    @Test
    void headers_goToTheirOwnBackEndOnly() {
        READ_BY_THE_SDK.forEach(property -> System.setProperty(property, "x-key=key-of-one,x-sdk=key-of-one"));
        Map<String, String> variables = variables();
        variables.put("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-key=key-of-one");
        variables.put("RLM_OTEL_LANGFUSE_EXPORTER_OTLP_HEADERS", "x-other=key-of-two,authorization=Basic%20abc%2B");
        try (Sinks sinks = sinks(variables)) {
            record(sinks);

            assertThat(headers(one)).isNotEmpty().allMatch(all -> "key-of-one".equals(all.get("x-key")));
            assertThat(headers(one)).noneMatch(all -> all.containsKey("x-other") || all.containsKey("authorization"));
            assertThat(headers(two))
                    .hasSizeGreaterThan(1)
                    .allMatch(all -> "key-of-two".equals(all.get("x-other")))
                    .allMatch(all -> "Basic abc+".equals(all.get("authorization")))
                    .noneMatch(all -> all.containsKey("x-key") || all.toString().contains("key-of-one"));
            assertThat(sinks.statuses().toString()).doesNotContain("key-of-one", "key-of-two");
        }
    }

    @Test
    void furtherSink_withoutHeaders_getsNone() {
        READ_BY_THE_SDK.forEach(property -> System.setProperty(property, "x-key=key-of-one"));
        try (Sinks sinks = sinks(variables())) {
            record(sinks);

            assertThat(headers(two)).isNotEmpty().noneMatch(all -> all.containsKey("x-key"));
        }
    }

    private static List<Map<String, String>> headers(OtlpReceiver receiver) {
        return receiver.requests().stream().map(OtlpRequest::headers).toList();
    }

    @Test
    void oneSinkThatIsDead_changesNothingForTheOther() {
        one.answer(OtlpSignal.TRACES, OtlpAnswer.HANG);
        one.answer(OtlpSignal.METRICS, OtlpAnswer.HANG);
        Map<String, String> variables = variables();
        variables.put("RLM_OTEL_GONE_ENABLED", "true");
        variables.put("RLM_OTEL_GONE_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
        variables.put("RLM_OTEL_GONE_EXPORTER_OTLP_PROTOCOL", protocol);
        try (Sinks sinks = sinks(variables)) {
            try (Run run = sinks.startRun(RunSpec.builder("calc").runId("r").build())) {
                run.startStep().complete("");
                run.complete("");
            }

            two.await(receiver -> !receiver.spans("rlm.run").isEmpty());
            assertThat(one.spans()).isEmpty();
            assertThat(status(sinks, "otel-langfuse").available()).isTrue();
            two.await(receiver -> status(sinks, "otel-langfuse").ledger().delivered() == 4);
            sinks.close(Duration.ofMillis(500));
        }
    }

    private static SinkStatus status(Sinks sinks, String name) {
        return sinks.statuses().stream()
                .filter(status -> status.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void settings_ofAFurtherSink_areItsOwn_orTheFirstOnes() {
        Map<String, String> variables = variables();
        variables.put("RLM_TRACE_URL", "http://one/{traceId}");
        variables.put("RLM_OTEL_LANGFUSE_TRACE_URL", "http://two/{traceId}");
        variables.put("RLM_OTEL_LANGFUSE_SERVICE_NAME", "named");
        variables.put("RLM_OTEL_LANGFUSE_METRICS_ENABLED", "false");
        variables.put("RLM_OTEL_LANGFUSE_CAPTURE_CONTENT", "none");
        variables.put("RLM_OTEL_METRICS_RUN_ID_LIMIT", "0");
        variables.put("RLM_OTEL_3_ENABLED", "true");
        variables.put("RLM_OTEL_3_TRACES_SAMPLER", "always_off");
        variables.put("RLM_OTEL_3_EXPORTER_OTLP_ENDPOINT", endpoint(two));
        variables.put("RLM_OTEL_3_EXPORTER_OTLP_PROTOCOL", protocol);
        try (Sinks sinks = sinks(variables)) {
            record(sinks);

            assertThat(two.spans("rlm.run"))
                    .singleElement()
                    .satisfies(span -> assertThat(span.resource()).containsEntry("service.name", "named"));
            assertThat(two.spans("rlm.run").get(0).attributes()).doesNotContainKey("rlm.task");
            assertThat(one.spans("rlm.run").get(0).attributes()).containsEntry("rlm.task", "the task");
            assertThat(two.points())
                    .isNotEmpty()
                    .allSatisfy(point -> assertThat(point.metric().resource().get("service.name"))
                            .isEqualTo("trainer")); // those of otel-3
            assertThat(two.numbers("rlm.steps").get(0).attributes()).doesNotContainKey("run_id");
            assertThat(sinks.locations("r").values().stream().map(URI::getHost)).containsExactly("one", "two");
            assertThat(status(sinks, "otel-3").ledger().dropped()).containsOnlyKeys("not_sampled");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RLM_OTEL_TRACES_ENABLED, true, RLM_OTEL_TRACES_EXPORTER_OTLP_ENDPOINT is not set: the further sink 'otel-traces' "
                + "(RLM_OTEL_TRACES_ENABLED) needs an endpoint of its own",
        "RLM_OTEL_LANGFUSE_EXPORTER_OTLP_PROTOCOL, pigeon, RLM_OTEL_LANGFUSE_EXPORTER_OTLP_PROTOCOL=pigeon is not valid",
        "RLM_OTEL_LANGFUSE_EXPORTER_OTLP_ENDPOINT, two:4317, RLM_OTEL_LANGFUSE_EXPORTER_OTLP_ENDPOINT=two:4317 is not",
        "RLM_OTEL_LANGFUSE_TRACES_SAMPLER, sometimes, RLM_OTEL_LANGFUSE_TRACES_SAMPLER",
        "RLM_OTEL_LANGFUSE_EXPORTER_OTLP_TIMEOUT, soon, RLM_OTEL_LANGFUSE_EXPORTER_OTLP_TIMEOUT",
        "RLM_OTEL_LANGFUSE_TRACE_URL, nowhere, RLM_OTEL_LANGFUSE_TRACE_URL=nowhere is not valid",
        "RLM_OTEL_LANGFUSE_CAPTURE_CONTENT, some, RLM_OTEL_LANGFUSE_CAPTURE_CONTENT=some is not valid",
        "RLM_LANGFUSE_ENABLED, true, for a further sink of 'otel' set RLM_OTEL_LANGFUSE_ENABLED"
    })
    void value_thatCannotBeUsed_isNamedInFull(String variable, String value, String message) {
        Map<String, String> variables = variables();
        variables.put(variable, value);

        assertThatThrownBy(() -> sinks(variables))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({"TRACES, true, METRICS", "METRICS, true, TRACES", "TRACES, false,"})
    void furtherSink_needsAnEndpointForEachSignalThatItSends(String given, String metrics, @Nullable String missing) {
        Map<String, String> variables = Map.of(
                "RLM_OTEL_2_ENABLED",
                "true",
                "RLM_OTEL_2_EXPORTER_OTLP_" + given + "_ENDPOINT",
                endpoint(two),
                "RLM_OTEL_2_METRICS_ENABLED",
                metrics);
        if (missing == null) {
            sinks(variables).close();
        } else {
            assertThatThrownBy(() -> sinks(variables))
                    .hasMessageStartingWith("RLM_OTEL_2_EXPORTER_OTLP_" + missing + "_ENDPOINT is not set");
        }
    }

    @Test
    void adviceToAFurtherSink_namesItsOwnVariables() {
        two.answer(OtlpSignal.TRACES, OtlpAnswer.UNAUTHENTICATED);
        try (Sinks sinks = sinks(variables())) {
            record(sinks);
            sinks.flush(Duration.ofSeconds(20));

            assertThat(status(sinks, "otel-langfuse").detail()).contains("(RLM_OTEL_LANGFUSE_EXPORTER_OTLP_HEADERS)");
        }
    }

    @Test
    void metricsOfAFurtherSink_areItsOwnMatter() {
        Map<String, String> variables = Map.of(
                "RLM_OTEL_METRICS_ENABLED",
                "false",
                "RLM_OTEL_PROMETHEUS_ENABLED",
                "true",
                "RLM_OTEL_PROMETHEUS_TRACES_EXPORTER",
                "none",
                "RLM_OTEL_PROMETHEUS_EXPORTER_OTLP_METRICS_ENDPOINT",
                protocol.equals(Rig.GRPC) ? two.grpcEndpoint() : two.httpEndpoint() + "/v1/metrics",
                "RLM_OTEL_PROMETHEUS_EXPORTER_OTLP_PROTOCOL",
                protocol);
        try (Sinks sinks = sinks(variables)) {
            record(sinks);
        }

        assertThat(two.requests(OtlpSignal.TRACES)).isEmpty();
        assertThat(two.points()).isNotEmpty();
    }

    @Test
    void sinks_addedByHand_standSideBySide() {
        READ_BY_THE_SDK.forEach(property -> System.setProperty(property, "x-key=key-of-another"));
        OtelSink first = built(one)
                .header("x-key", "key of one, =+%")
                .header("x-more", "m")
                .build();
        OtelSink second = built(two).headers(Map.of("x-key", "key of two")).build();
        try (Sinks sinks = Sinks.builder().add("a", first).add("b", second).build()) {
            record(sinks);

            assertThat(ids(two)).containsExactlyInAnyOrderElementsOf(ids(one)).isNotEmpty();
            assertThat(headers(one))
                    .allMatch(all -> "key of one, =+%".equals(all.get("x-key")) && "m".equals(all.get("x-more")));
            assertThat(headers(two)).allMatch(all -> "key of two".equals(all.get("x-key")));
            assertThat(sinks.statuses().toString()).doesNotContain("key of");
        }
    }

    @Test
    void endpoint_givenByTheProgram_getsNoHeaderOfAVariable() {
        READ_BY_THE_SDK.forEach(property -> System.setProperty(property, "x-key=key-of-another"));
        SinkConfig config = SinkConfig.of(variables()).sink("otel");
        for (OtelSinkBuilder builder : List.of(built(one), built(one).config(config))) {
            try (Sinks sinks = Sinks.builder().add("a", builder.build()).build()) {
                record(sinks);
            }
        }

        assertThat(headers(one)).isNotEmpty().noneMatch(all -> all.containsKey("x-key"));
    }

    @Test
    void header_thatCannotBeSent_isRefusedAndNotShown() {
        assertThatThrownBy(() -> OtelSink.builder().header("x-key", "secret\u00e9"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the header x-key has a value that cannot be sent");
        assertThatThrownBy(() -> OtelSink.builder().header("Bearer secret", "x-key"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret");
    }

    private OtelSinkBuilder built(OtlpReceiver receiver) {
        return OtelSink.builder().endpoint(URI.create(endpoint(receiver))).protocol(protocol);
    }
}
