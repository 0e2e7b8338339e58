package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpRequest;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import dev.rlm.sinks.testkit.Events;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigurationTest {
    @Test
    void provider_isFoundUnderItsName() {
        assertThat(ServiceLoader.load(SinkProvider.class).stream().map(ServiceLoader.Provider::get))
                .hasSize(2) // the other one is that of the file of spans
                .first()
                .satisfies(provider -> {
                    assertThat(provider.name()).isEqualTo("otel");
                    assertThat(provider.isEnabledByDefault()).isFalse();
                    assertThat(provider.variables())
                            .extracting(SinkProvider.Variable::name)
                            .contains("RLM_CAPTURE_CONTENT", "RLM_TRACE_URL", "OTEL_EXPORTER_OTLP_ENDPOINT");
                });
    }

    @Test
    void endpoint_withAQuery_isRefusedWithoutShowingIt() {
        SinkConfig config = SinkConfig.of(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:4318?api_key=hidden"));

        assertThatThrownBy(() -> new OtelSinkProvider().create(config.sink("otel")))
                .isInstanceOf(SinkConfigException.class)
                .hasMessage(
                        "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4318?… is not valid: expected an address without a query");
    }

    @ParameterizedTest
    @ValueSource(strings = {Rig.GRPC, Rig.HTTP})
    void variables_ofOpenTelemetry_hold(String protocol) throws IOException {
        Map<String, String> variables = Map.of(
                "OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20hidden,x-team=blue",
                "OTEL_SERVICE_NAME", "trainer",
                "OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=lab,service.instance.id=i7");
        try (Rig rig = Rig.by(protocol, variables)) {
            rig.startRun("r").complete("");

            assertThat(rig.span("rlm.run").resource())
                    .containsEntry("service.name", "trainer")
                    .containsEntry("deployment.environment.name", "lab")
                    .doesNotContainKey("service.instance.id");
            assertThat(rig.receiver().points())
                    .extracting(point -> point.metric().resource().get("service.instance.id"))
                    .containsOnly("i7");
            assertThat(rig.receiver().requests())
                    .hasSize(3)
                    .allSatisfy(request -> assertThat(request)
                            .returns(protocol, OtlpRequest::protocol)
                            .satisfies(each -> assertThat(each.headers())
                                    .containsEntry("x-team", "blue")
                                    .containsEntry("authorization", "Bearer hidden")));
            assertThat(rig.status().detail())
                    .startsWith("http://127.0.0.1:")
                    .contains("(" + protocol + "), 2 spans arrived")
                    .doesNotContain("hidden");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "OTEL_EXPORTER_OTLP_ENDPOINT, ''",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, /v1/traces",
        "RLM_OTEL_TWO_EXPORTER_OTLP_ENDPOINT, ''",
        "otel.exporter.otlp.endpoint, ''",
        "otel.exporter.otlp.traces.endpoint, /v1/traces"
    })
    void protocol_thatIsNotNamed_isThatOfTheSpecification(String setting, String path) throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start();
                OtelSink sink = withEndpoint(setting, receiver.httpEndpoint() + path)) {
            Events.minimal("r").forEach(sink::onEvent);
            assertThat(sink.flush(Duration.ofSeconds(10))).isTrue();

            assertThat(receiver.requests(OtlpSignal.TRACES))
                    .isNotEmpty()
                    .extracting(OtlpRequest::protocol)
                    .containsOnly(Rig.HTTP);
            assertThat(sink.status().detail()).startsWith(receiver.httpEndpoint() + " (http/protobuf)");
        }
    }

    /** The sink with an address, by a variable or in code, and with protocols that are set to nothing. */
    private static OtelSink withEndpoint(String setting, String endpoint) {
        Map<String, String> variables = new HashMap<>(Map.of(
                "OTEL_EXPORTER_OTLP_PROTOCOL", "",
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "",
                "RLM_OTEL_METRICS_ENABLED", "false",
                "RLM_OTEL_TWO_METRICS_ENABLED", "false"));
        OtelSinkBuilder builder = OtelSink.builder();
        if (setting.startsWith("otel.")) {
            builder.property(setting, endpoint);
        } else {
            variables.put(setting, endpoint);
        }
        String name = setting.contains("TWO") ? "otel-two" : "otel";
        return builder.config(SinkConfig.of(variables).sink(name)).build();
    }

    @ParameterizedTest
    @CsvSource({
        "'', http://localhost:4317 (grpc)",
        "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4317, http://h:4317 (grpc)",
        "OTEL_EXPORTER_OTLP_ENDPOINT=https://h:4317/, https://h:4317 (grpc)",
        "OTEL_EXPORTER_OTLP_ENDPOINT=https://h, https://h (http/protobuf)",
        "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4318;OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://h:4317, http://h:4317 (grpc)",
        "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4317;OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://h:1/t, http://h:1 (http/protobuf)",
        "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:1;OTEL_EXPORTER_OTLP_PROTOCOL=grpc, http://h:1 (grpc)",
        "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:1;OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc, http://h:1 (grpc)",
        "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4317;OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf, http://h:4317 (http/protobuf)",
        "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf, http://localhost:4318 (http/protobuf)"
    })
    void protocol_isAsNamed_elseByTheAddress(String variables, String target) {
        Map<String, String> said = Stream.of(variables.split(";"))
                .filter(each -> !each.isEmpty())
                .map(each -> each.split("="))
                .collect(Collectors.toMap(each -> each[0], each -> each[1]));
        try (Sink sink = create(said)) {
            assertThat(sink.status().detail()).startsWith(target);
        }
    }

    @EnabledOnOs(OS.LINUX) // where each address of 127.0.0.0/8 is the machine's own
    @Test
    void portOfGrpc_isSpokenToByGrpc() throws IOException {
        try (ServerSocket server = new ServerSocket(4317, 1, InetAddress.getByName("127.43.17.1"));
                Sink sink = create(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.43.17.1:4317"))) {
            Events.minimal("r").forEach(sink::onEvent);
            try (Socket client = server.accept()) {
                assertThat(client.getInputStream().readNBytes(14)).asString().isEqualTo("PRI * HTTP/2.0");
            }
        }
    }

    @Test
    void endpoint_withAUser_isRefusedWithoutShowingIt() {
        assertThatThrownBy(() -> create(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:hidden@localhost:9/")))
                .isInstanceOf(SinkConfigException.class)
                .hasMessage(
                        "OTEL_EXPORTER_OTLP_ENDPOINT=http://…@localhost:9/ is not valid: expected an address without"
                                + " user and password, which belong in a header");
    }

    @Test
    void sampler_decidesOnceARun() throws IOException {
        try (Rig rig =
                Rig.by(Rig.GRPC, Map.of("OTEL_TRACES_SAMPLER", "traceidratio", "OTEL_TRACES_SAMPLER_ARG", "0.5"))) {
            for (int i = 0; i < 200; i++) {
                Run run = rig.startRun("run-" + i);
                try (Step step = run.startStep()) {
                    step.complete("");
                }
                run.complete("");
            }
            rig.flush();

            int runs = rig.receiver().spans("rlm.run").size();
            assertThat(runs).isBetween(60, 140);
            assertThat(rig.receiver().spans("rlm.step"))
                    .extracting(OtlpSpan::traceId)
                    .containsExactlyInAnyOrderElementsOf(rig.receiver().spans("rlm.run").stream()
                            .map(OtlpSpan::traceId)
                            .toList());
            assertThat(rig.ledger().delivered()).isEqualTo(4L * runs);
            assertThat(rig.ledger().dropped()).containsExactly(Map.entry("not_sampled", 4L * (200 - runs)));
            assertThat(rig.receiver().numbers("rlm.runs").get(0).value()).isEqualTo(200L);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "OTEL_TRACES_SAMPLER, always_off",
        "OTEL_TRACES_SAMPLER, record_only",
        "OTEL_TRACES_EXPORTER, none",
        "OTEL_SDK_DISABLED, true"
    })
    void spans_thatGoNowhere_areNotDelivered(String variable, String value) throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, Map.of(variable, value))) {
            rig.startRun("r").complete("");
            rig.flush();

            assertThat(rig.receiver().requests(OtlpSignal.TRACES)).isEmpty();
            assertThat(rig.ledger().dropped()).containsExactly(Map.entry("not_sampled", 2L));
            assertThat(rig.ledger().delivered()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "OTEL_TRACES_EXPORTER, none, nowhere (OTEL_TRACES_EXPORTER=none)",
        "OTEL_SDK_DISABLED, true, nowhere (OTEL_SDK_DISABLED)"
    })
    void status_ofASinkThatSendsNoSpansByChoice_saysWhy(String variable, String value, String detail) {
        try (Sink sink = create(Map.of(variable, value))) {
            assertThat(sink.status()).returns(true, Sink.Health::available).returns(detail, Sink.Health::detail);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "OTEL_EXPORTER_OTLP_ENDPOINT, localhost:4317",
        "OTEL_EXPORTER_OTLP_ENDPOINT, http://",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, ftp://localhost",
        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, 'http://local host'",
        "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT, loki:3100",
        "OTEL_EXPORTER_OTLP_PROTOCOL, carrier-pigeon",
        "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL, carrier-pigeon",
        "OTEL_EXPORTER_OTLP_TIMEOUT, soon",
        "OTEL_METRIC_EXPORT_INTERVAL, soon",
        "OTEL_BSP_SCHEDULE_DELAY, soon",
        "OTEL_TRACES_SAMPLER, sometimes",
        "OTEL_TRACES_EXPORTER, carrier-pigeon",
        "RLM_TRACE_URL, http://localhost/trace/",
        "RLM_TRACE_URL, '{traceId}'",
        "RLM_TRACE_URL, 'http://local host/{traceId}'",
        "RLM_OTEL_METRICS_ENABLED, maybe",
        "RLM_OTEL_LOGS_ENABLED, maybe",
        "RLM_OTEL_LOGS_REWARDS, maybe",
        "RLM_OTEL_LOGS_HEARTBEATS, maybe",
        "RLM_OTEL_GENAI_SPANS, maybe",
        "RLM_OTEL_SDK, global",
        "RLM_OTEL_METRICS_RUN_ID_LIMIT, -1",
        "RLM_OTEL_METRICS_RUN_ID_LIMIT, many",
        "RLM_CAPTURE_CONTENT, some"
    })
    void value_thatCannotBeUsed_isNamed(String variable, String value) {
        assertThatThrownBy(() -> create(Map.of(variable, value)))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining(variable)
                .message()
                .isNotNull()
                .doesNotContain("\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:4317", "http://u:hidden@local host", "http://h:4317?api_key=hidden"})
    void endpoint_thatCannotBeUsed_isNamedFromWhereverItComes(String endpoint) {
        String property = "otel.exporter.otlp.traces.endpoint";
        System.setProperty(property, endpoint);
        try {
            assertThatThrownBy(() -> create(Map.of())).satisfies(ConfigurationTest::namesTheEndpoint);
        } finally {
            System.clearProperty(property);
        }
        assertThatThrownBy(() -> OtelSink.builder().property(property, endpoint).build())
                .satisfies(ConfigurationTest::namesTheEndpoint);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "otel.exporter.otlp.protocol",
                "otel.exporter.otlp.traces.protocol",
                "otel.exporter.otlp.compression",
                "otel.exporter.otlp.certificate",
                "otel.exporter.otlp.endpoint",
                "otel.exporter.otlp.traces.endpoint",
                "otel.traces.exporter",
                "otel.traces.sampler",
                "otel.bsp.schedule.delay",
                "otel.metric.export.interval",
                "otel.sdk.disabled",
                "otel.service.name",
            })
    void emptySetting_countsAsNotSet_whereTheSdkReadsItByItself(String property) throws IOException {
        System.setProperty(property, "");
        try (Rig rig = Rig.by(Rig.HTTP)) {
            rig.startRun("r").complete("");

            assertThat(rig.span("rlm.run").resource()).containsEntry("service.name", "rlm");
        } finally {
            System.clearProperty(property);
        }
    }

    private static void namesTheEndpoint(Throwable error) {
        assertThat(error)
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=")
                .hasMessageContaining("is not valid: expected an address")
                .hasMessageNotContaining("hidden");
    }

    @Test
    void endpoint_thatCannotBeUsed_isShownWithoutItsPassword() {
        assertThatThrownBy(() -> create(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:hidden@local host")))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageNotContaining("hidden");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x-key=hidden\u00e9\u00e9",
                "x-key=hidden%0Ahidden",
                "x-key=hidden%",
                "x-one=1,x-key=hidden%E9",
                "x key=hidden",
                "hidden"
            })
    void header_thatCannotBeSent_isRefusedAndShownNowhere(String header) {
        assertThatThrownBy(() -> create(Map.of("OTEL_EXPORTER_OTLP_HEADERS", header)))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageStartingWith("OTEL_EXPORTER_OTLP_HEADERS is not valid: ")
                .hasMessageNotContaining("hidden");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Authorization=Basic%20eDp5,x-more=1", "Authorization=Basic eDp5+/=", " a=b , c=d ,"})
    void header_thatCanBeSent_isTaken(String header) {
        create(Map.of("OTEL_EXPORTER_OTLP_HEADERS", header)).close();
    }

    @Test
    void exportTimeout_ofZero_isNone() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, Map.of("OTEL_BSP_EXPORT_TIMEOUT", "0"))) {
            rig.startRun("r").complete("");
            assertThat(rig.span("rlm.run").name()).isEqualTo("rlm.run");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "OTEL_BSP_SCHEDULE_DELAY, -1, delay must be non-negative",
        "OTEL_BSP_MAX_EXPORT_BATCH_SIZE, 0, maxExportBatchSize must be positive"
    })
    void number_thatOpenTelemetryRefuses_isSaidSo(String variable, String value, String reason) {
        assertThatThrownBy(() -> create(Map.of(variable, value)))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void location_isMadeFromTheTemplate() {
        try (Sink sink = create(Map.of("RLM_TRACE_URL", "http://localhost:16686/trace/{traceId}?x=1"))) {
            assertThat(sink.location("r"))
                    .hasValue(URI.create("http://localhost:16686/trace/454349e422f05297191ead13e21d3db5?x=1"));
        }
        try (Sink sink = create(Map.of())) {
            assertThat(sink.location("r")).isEmpty();
        }
    }

    @Test
    void sink_fromTheEnvironment_isMade() {
        try (OtelSink sink = OtelSink.fromEnvironment()) {
            assertThat(sink.flush(Duration.ofSeconds(1))).isIn(true, false);
            assertThat(sink.traceId("r")).hasValue("454349e422f05297191ead13e21d3db5");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rlm.otel.enabled", "rlm.obs.enabled"})
    void sink_fromTheEnvironment_thatIsSwitchedOff_sendsNothing(String off) throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start()) {
            System.setProperty(off, "false");
            System.setProperty("otel.exporter.otlp.endpoint", receiver.httpEndpoint());
            try (OtelSink sink = OtelSink.fromEnvironment()) {
                Events.minimal("r").forEach(sink::onEvent);
                assertThat(sink.flush(Duration.ofSeconds(10))).isTrue();
            } finally {
                System.clearProperty(off);
                System.clearProperty("otel.exporter.otlp.endpoint");
            }
            assertThat(receiver.spans()).isEmpty();
        }
    }

    @Tag("thorough")
    @Test
    void builder_takesWhatTheVariablesSay() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC);
                OtelSink sink = OtelSink.builder()
                        .endpoint(URI.create(rig.receiver().httpEndpoint()))
                        .protocol("http/protobuf")
                        .serviceName("built")
                        .metrics(false)
                        .build()) {
            Events.minimal("r").forEach(sink::onEvent);
            assertThat(sink.flush(Duration.ofSeconds(10))).isTrue();

            assertThat(rig.receiver().spans("rlm.run"))
                    .singleElement()
                    .satisfies(span -> assertThat(span.resource()).containsEntry("service.name", "built"));
        }
    }

    @Test
    void status_tellsTheServiceName_andWhetherThereAreMetrics() {
        try (Sink usual = create(Map.of());
                Sink named = create(Map.of("OTEL_SERVICE_NAME", "trainer", "RLM_OTEL_METRICS_ENABLED", "false"));
                Sink silent = create(Map.of("OTEL_METRICS_EXPORTER", "none"));
                Sink attributed = create(Map.of("OTEL_RESOURCE_ATTRIBUTES", "team=a,service.name=checkout"));
                Sink both = create(
                        Map.of("OTEL_RESOURCE_ATTRIBUTES", "service.name=checkout", "OTEL_SERVICE_NAME", "trainer"));
                Sink built = OtelSink.builder()
                        .config(SinkConfig.of(Map.of("OTEL_SERVICE_NAME", "trainer"))
                                .sink("otel"))
                        .serviceName("evaluator")
                        .build()) {
            assertThat(usual.status().facts())
                    .containsEntry("service_name", "rlm")
                    .containsEntry("metrics", "on");
            assertThat(named.status().facts())
                    .containsEntry("service_name", "trainer")
                    .containsEntry("metrics", "off");
            assertThat(silent.status().facts()).containsEntry("metrics", "off");
            assertThat(attributed.status().facts()).containsEntry("service_name", "checkout");
            assertThat(both.status().facts()).containsEntry("service_name", "trainer");
            assertThat(built.status().facts()).containsEntry("service_name", "evaluator");
        }
        assertThatThrownBy(() -> OtelSink.builder().serviceName(" "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the service name is blank");
    }

    private static Sink create(Map<String, String> variables) {
        return new OtelSinkProvider().create(SinkConfig.of(variables).sink("otel"));
    }
}
