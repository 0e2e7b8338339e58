package dev.rlm.sinks.otel.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.otel.OtelSink;
import dev.rlm.sinks.otel.Published;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import dev.rlm.sinks.otel.backend.VendorStub;
import dev.rlm.sinks.otel.backend.VendorStub.Request;
import dev.rlm.sinks.otel.spans.Ids;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** What each preset sends, to a server that stands in for the vendor's. */
@Timeout(60)
class PresetTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String KEY = "hid" + "den-key-0123456789";
    private static final String TRACES = "/v1/traces";

    private final AtomicInteger negative = new AtomicInteger();
    private VendorStub vendor;

    @BeforeEach
    void start() throws IOException {
        vendor = VendorStub.start();
    }

    @AfterEach
    void stop() {
        vendor.close();
    }

    private static String basic(String user, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    static Stream<Arguments> vendors() {
        return Stream.of(
                Arguments.of(
                        "langfuse",
                        Map.of("LANGFUSE_HOST", "URL", "LANGFUSE_PUBLIC_KEY", "pk", "LANGFUSE_SECRET_KEY", KEY),
                        "/api/public/otel",
                        Map.of("authorization", basic("pk", KEY), "x-langfuse-ingestion-version", "4"),
                        Map.of(),
                        false),
                Arguments.of(
                        "langfuse",
                        Map.of(
                                "LANGFUSE_HOST", "http://localhost:9",
                                "LANGFUSE_BASE_URL", "URL/", // the newer name
                                "LANGFUSE_PUBLIC_KEY", "pk",
                                "LANGFUSE_SECRET_KEY", KEY),
                        "/api/public/otel",
                        Map.of("authorization", basic("pk", KEY)),
                        Map.of(),
                        false),
                Arguments.of(
                        "langsmith",
                        Map.of(
                                "LANGSMITH_ENDPOINT",
                                "URL/api/v1",
                                "LANGSMITH_API_KEY",
                                KEY,
                                "LANGSMITH_PROJECT",
                                "my p"),
                        "/api/v1/otel",
                        Map.of("x-api-key", KEY, "langsmith-project", "my p"),
                        Map.of(),
                        false),
                Arguments.of(
                        "logfire",
                        Map.of("LOGFIRE_BASE_URL", "URL", "LOGFIRE_TOKEN", KEY),
                        "",
                        Map.of("authorization", KEY),
                        Map.of(),
                        true),
                Arguments.of(
                        "phoenix",
                        Map.of(
                                "PHOENIX_COLLECTOR_ENDPOINT", "URL/v1/traces",
                                "PHOENIX_API_KEY", KEY,
                                "PHOENIX_PROJECT_NAME", "a, b"),
                        "",
                        Map.of("authorization", "Bearer " + KEY),
                        Map.of("openinference.project.name", "a, b"),
                        false),
                Arguments.of(
                        "weave",
                        Map.of(
                                "WF_TRACE_SERVER_URL", "URL",
                                "WANDB_API_KEY", KEY,
                                "WANDB_ENTITY", "team",
                                "WANDB_PROJECT", "calc"),
                        "/otel",
                        Map.of("wandb-api-key", KEY),
                        Map.of("wandb.entity", "team", "wandb.project", "calc"),
                        false),
                Arguments.of(
                        "honeycomb",
                        Map.of("HONEYCOMB_API_ENDPOINT", "URL", "HONEYCOMB_API_KEY", KEY, "HONEYCOMB_DATASET", "rlm"),
                        "",
                        Map.of("x-honeycomb-team", KEY, "x-honeycomb-dataset", "rlm"),
                        Map.of(),
                        true),
                Arguments.of(
                        "grafana-cloud",
                        Map.of(
                                "GRAFANA_CLOUD_OTLP_ENDPOINT", "URL/otlp",
                                "GRAFANA_CLOUD_INSTANCE_ID", "123456",
                                "GRAFANA_CLOUD_API_KEY", KEY),
                        "/otlp",
                        Map.of("authorization", basic("123456", KEY)),
                        Map.of(),
                        true),
                Arguments.of(
                        "mlflow",
                        Map.of("MLFLOW_TRACKING_URI", "URL", "MLFLOW_EXPERIMENT_ID", "7", "MLFLOW_TRACKING_TOKEN", KEY),
                        "",
                        Map.of("x-mlflow-experiment-id", "7", "authorization", "Bearer " + KEY),
                        Map.of(),
                        false));
    }

    private Map<String, String> variables(String preset, Map<String, String> variables) {
        Map<String, String> all = new HashMap<>();
        variables.forEach((name, value) -> all.put(name, value.replace("URL", vendor.url())));
        all.put("RLM_OTEL_PRESET", preset);
        return all;
    }

    private Map<String, String> langfuse() {
        return variables(
                "langfuse", Map.of("LANGFUSE_HOST", "URL", "LANGFUSE_PUBLIC_KEY", "pk", "LANGFUSE_SECRET_KEY", KEY));
    }

    private static OtelSink sink(Map<String, String> variables) {
        return OtelSink.builder().config(SinkConfig.of(variables).sink("otel")).build();
    }

    private static Sinks sinks(OtelSink sink) {
        return Sinks.builder().add("otel", sink).build();
    }

    private static void record(Sinks sinks) {
        try (Run run = sinks.startRun(RunSpec.builder("calc")
                        .runId("r")
                        .task("What is 3 * 4?")
                        .build());
                Step step = run.startStep()) {
            step.action("python", "print(3 * 4)");
            step.reward("shaping", -0.25, List.of());
            step.complete("12");
            run.reward(
                    "exact match",
                    Reward.of(1).explanation("12 is right").label("a\u0000b").build());
            run.complete("12");
        }
    }

    @ParameterizedTest
    @MethodSource("vendors")
    void preset_sendsToItsVendor(
            String preset,
            Map<String, String> variables,
            String path,
            Map<String, String> headers,
            Map<String, String> resource,
            boolean takesAll) {
        OtelSink sink = sink(variables(preset, variables));
        try (Sinks sinks = sinks(sink)) {
            record(sinks);
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();

            assertThat(ledger(sinks).dropped()).isEmpty();
            assertThat(sinks.statuses().toString()).doesNotContain(KEY);
            assertThat(sink.secrets()).contains(KEY);
        }
        assertThat(vendor.requests(path + TRACES)).isNotEmpty().allSatisfy(request -> {
            assertThat(request.headers()).containsAllEntriesOf(headers);
            assertThat(request.headers()).containsEntry("content-type", "application/x-protobuf");
            assertThat(request.spans())
                    .isNotEmpty()
                    .allSatisfy(span -> assertThat(span.resource()).containsAllEntriesOf(resource));
        });
        assertThat(vendor.requests(path + TRACES).stream().flatMap(each -> each.spans().stream()))
                .extracting(OtlpSpan::name)
                .containsOnlyOnce("rlm.run", "rlm.step", "rlm.run.started");
        assertThat(Stream.of("/v1/metrics", "/v1/logs")
                        .filter(signal -> !vendor.requests(path + signal).isEmpty()))
                .hasSize(takesAll ? 2 : 0);
    }

    @Test
    void scores_ofLangfuse_standAtTraceAndStepOnceEach() {
        vendor.answer(request -> isNegative(request) && negative.getAndIncrement() == 0 ? 503 : 200);
        try (Sinks sinks = sinks(sink(langfuse()))) {
            record(sinks);
            sinks.rewardAbsent("r", "person", "no verdict");
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();

            assertThat(ledger(sinks).dropped()).isEmpty();
            assertThat(ledger(sinks).queued()).isZero();
        }
        List<Request> requests = vendor.requests("/api/public/scores");
        String trace = Ids.of("r").traceId();
        assertThat(requests).hasSize(5).allSatisfy(request -> {
            assertThat(request.headers()).containsEntry("authorization", basic("pk", KEY));
            assertThat(request.json().path("traceId").asString()).isEqualTo(trace);
            assertThat(request.json().path("name").asString()).endsWith("reward");
        });
        assertThat(requests.stream().map(Request::json))
                .filteredOn(each -> each.path("name").asString().equals("total_reward"))
                .singleElement()
                .satisfies(total -> assertThat(total.path("value").asDouble()).isEqualTo(0.75));
        JsonNode ofRun = score(requests, "12 is right");
        assertThat(ofRun.path("value").asDouble()).isEqualTo(1);
        assertThat(ofRun.path("dataType").asString()).isEqualTo("NUMERIC");
        assertThat(ofRun.has("observationId")).isFalse();
        assertThat(ofRun.toString()).doesNotContain("\\u0000");
        assertThat(ofRun.path("metadata").path("gen_ai.evaluation.name").asString())
                .isEqualTo("exact match");
        assertThat(score(requests, "no verdict").path("value").asString()).isEqualTo("absent");
        List<JsonNode> ofStep = requests.stream()
                .filter(PresetTest::isNegative)
                .map(Request::json)
                .toList();
        assertThat(ofStep).hasSize(2); // once refused
        assertThat(ofStep.get(0)).isEqualTo(ofStep.get(1));
        assertThat(ofStep.get(0).path("observationId").asString())
                .isEqualTo(span("/api/public/otel", "rlm.step").spanId());
    }

    private static boolean isNegative(Request request) {
        return request.address().endsWith("/scores")
                && request.json().path("value").asDouble(0) < 0;
    }

    private static JsonNode score(List<Request> requests, String comment) {
        return requests.stream()
                .map(Request::json)
                .filter(each -> each.path("comment").asString("").equals(comment))
                .findFirst()
                .orElseThrow();
    }

    private OtlpSpan span(String path, String name) {
        return vendor.requests(path + TRACES).stream()
                .flatMap(request -> request.spans().stream())
                .filter(span -> span.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void spans_toLangfuse_tellTypesAndTexts() {
        try (Sinks sinks = sinks(sink(langfuse()))) {
            record(sinks);
        }
        assertThat(span("/api/public/otel", "rlm.run").attributes())
                .containsEntry("langfuse.observation.type", "agent")
                .containsEntry("langfuse.trace.name", "calc")
                .containsEntry("langfuse.trace.input", "What is 3 * 4?")
                .containsEntry("langfuse.trace.output", "12");
        assertThat(span("/api/public/otel", "rlm.step").attributes())
                .containsEntry("langfuse.observation.type", "chain")
                .containsEntry("langfuse.observation.input", "print(3 * 4)")
                .containsEntry("langfuse.observation.output", "12");
    }

    @Test
    void spans_withoutContent_haveKindsAlone() {
        Map<String, String> variables = langfuse();
        variables.put("RLM_CAPTURE_CONTENT", "none");
        try (Sinks sinks = sinks(sink(variables))) {
            record(sinks);
        }
        assertThat(span("/api/public/otel", "rlm.run").attributes())
                .containsEntry("langfuse.observation.type", "agent")
                .doesNotContainKeys("langfuse.trace.input", "langfuse.trace.output", "langfuse.observation.input");
        assertThat(vendor.requests("/api/public/scores"))
                .extracting(request -> request.json().has("comment"))
                .containsOnly(false);
    }

    @Test
    void variables_ofOpenTelemetry_countBeforeThePreset() {
        Map<String, String> variables =
                variables("langfuse", Map.of("LANGFUSE_PUBLIC_KEY", "pk", "LANGFUSE_SECRET_KEY", KEY));
        variables.put("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", vendor.url() + "/proxy/api/public/otel" + TRACES);
        variables.put("OTEL_EXPORTER_OTLP_HEADERS", "x-langfuse-ingestion-version=5,x-team=blue");
        variables.put("OTEL_METRICS_EXPORTER", "otlp");
        variables.put("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", vendor.url() + "/metrics");
        try (Sinks sinks = sinks(sink(variables))) {
            Run run = sinks.startRun(RunSpec.builder("calc").runId("r").build());
            run.reward(1);
            run.complete("");
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        }
        assertThat(vendor.requests("/proxy/api/public/scores")).hasSize(2); // the reward and the run's total
        assertThat(vendor.requests("/proxy/api/public/otel" + TRACES))
                .isNotEmpty()
                .allSatisfy(request -> assertThat(request.headers())
                        .containsEntry("authorization", basic("pk", KEY))
                        .containsEntry("x-langfuse-ingestion-version", "5")
                        .containsEntry("x-team", "blue"));
        assertThat(vendor.requests("/metrics")).isNotEmpty(); // where it is said, they go elsewhere
    }

    @Test
    void furtherSink_hasAPresetOfItsOwn() {
        Map<String, String> variables = variables("honeycomb", Map.of("HONEYCOMB_API_KEY", KEY));
        variables.put("RLM_OTEL_2_PRESET", "phoenix");
        variables.put("PHOENIX_COLLECTOR_ENDPOINT", vendor.url());
        SinkConfig config = SinkConfig.of(variables).furtherSink("otel-2", "otel");
        try (Sinks sinks = Sinks.builder()
                .add("otel-2", OtelSink.builder().config(config).build())
                .build()) {
            record(sinks);
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        }
        assertThat(span("", "rlm.run").attributes()).containsEntry("openinference.span.kind", "AGENT");
        assertThat(vendor.requests())
                .noneSatisfy(request -> assertThat(request.headers()).containsValue(KEY));
    }

    @Tag("thorough")
    @Test
    void annotation_whoseSpanIsMissing_holdsUpNoOtherAndIsCountedAsLost() {
        String missing = Ids.of("gone").spanId(Ids.Kind.RUN, 1);
        vendor.answer(
                request -> request.address().endsWith(TRACES) || !text(request).contains(missing) ? 200 : 404);
        Sinks sinks = sinks(sink(variables("phoenix", Map.of("PHOENIX_COLLECTOR_ENDPOINT", "URL"))));
        try (sinks) {
            sinks.publish(new Published("gone").reward(9, -1)); // of another process, whose spans are elsewhere
            record(sinks);
            Awaitility.await().atMost(PATIENCE).until(() -> ledger(sinks).queued() == 1);

            assertThat(sinks.flush(Duration.ofSeconds(1)).isComplete()).isFalse();
            assertThat(sinks.statuses().get(0).detail()).contains("rewards: there is no such span");
            assertThat(ledger(sinks).dropped()).isEmpty();
        }
        assertThat(ledger(sinks).queued()).isZero();
        assertThat(ledger(sinks).dropped()).isEqualTo(Map.of("no_span", 1L));
    }

    @Test
    void annotation_whoseSpanIsNotFoundAtOnce_isSentAgain() {
        AtomicInteger asked = new AtomicInteger();
        vendor.answer(request -> request.address().endsWith(TRACES) || asked.incrementAndGet() > 1 ? 200 : 404);
        try (Sinks sinks = sinks(sink(variables("phoenix", Map.of("PHOENIX_COLLECTOR_ENDPOINT", "URL"))))) {
            record(sinks);
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();

            assertThat(ledger(sinks).dropped()).isEmpty();
            assertThat(ledger(sinks).queued()).isZero();
        }
        List<Request> requests = vendor.requests("/v1/span_annotations?sync=true");
        assertThat(text(requests.get(0))).isEqualTo(text(requests.get(1)));
    }

    private static String text(Request request) {
        return new String(request.body(), StandardCharsets.UTF_8);
    }

    private static Ledger ledger(Sinks sinks) {
        return sinks.statuses().get(0).ledger();
    }

    @Test
    void scores_ofSpansThatAreRefused_areLostWithThem() {
        vendor.answer(request -> 400);
        try (Sinks sinks = sinks(sink(langfuse()))) {
            record(sinks);
            assertThat(sinks.flush(PATIENCE).isComplete()).isFalse();

            Ledger ledger = ledger(sinks);
            assertThat(ledger.queued()).isZero();
            assertThat(ledger.dropped()).isEqualTo(Map.of("export_http_400", ledger.offered()));
        }
        assertThat(vendor.requests("/api/public/scores")).isEmpty();
    }

    @Test
    void refusal_ofTheKey_namesItsVariables() {
        vendor.answer(request -> 401);
        try (Sinks sinks = sinks(sink(langfuse()))) {
            record(sinks);
            sinks.flush(PATIENCE);

            assertThat(sinks.statuses().get(0).detail())
                    .contains("credentials are missing or wrong (LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY)");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "RLM_OTEL_PRESET=langfus | RLM_OTEL_PRESET=langfus is not valid: expected one of langfuse, langsmith,"
                        + " logfire, phoenix, weave, honeycomb, grafana-cloud, mlflow",
                "RLM_OTEL_PRESET=langfuse;LANGFUSE_PUBLIC_KEY=pk | LANGFUSE_SECRET_KEY is not set:"
                        + " RLM_OTEL_PRESET=langfuse needs LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY",
                "RLM_OTEL_PRESET=weave;WANDB_API_KEY=k | WANDB_ENTITY, WANDB_PROJECT are not set:"
                        + " RLM_OTEL_PRESET=weave needs WANDB_API_KEY, WANDB_ENTITY, WANDB_PROJECT",
                "RLM_OTEL_PRESET=Grafana-Cloud | GRAFANA_CLOUD_OTLP_ENDPOINT, GRAFANA_CLOUD_INSTANCE_ID,"
                        + " GRAFANA_CLOUD_API_KEY are not set: RLM_OTEL_PRESET=grafana-cloud needs"
                        + " GRAFANA_CLOUD_OTLP_ENDPOINT, GRAFANA_CLOUD_INSTANCE_ID, GRAFANA_CLOUD_API_KEY",
                "RLM_OTEL_PRESET=phoenix;PHOENIX_COLLECTOR_ENDPOINT=localhost | PHOENIX_COLLECTOR_ENDPOINT=localhost is"
                        + " not valid: expected an address such as http://localhost:4317",
                "RLM_OTEL_PRESET=honeycomb;HONEYCOMB_API_KEY=schlüssel | HONEYCOMB_API_KEY is not valid: expected"
                        + " printable ASCII, which a header can hold",
                "RLM_OTEL_PRESET=phoenix;OTEL_EXPORTER_OTLP_PROTOCOL=grpc | OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not"
                        + " valid: expected http/protobuf, since phoenix takes rewards by HTTP alone",
            })
    void mistakes_areNamed(String variables, String message) {
        Map<String, String> all = new HashMap<>();
        for (String each : variables.strip().split(";", -1)) {
            all.put(each.split("=", 2)[0], each.split("=", 2)[1]);
        }
        assertThatThrownBy(() -> sink(all))
                .isInstanceOf(SinkConfigException.class)
                .hasMessage(message.strip());
    }

    @Test
    void logfire_isAskedInTheRegionOfItsToken() {
        assertThat(target("pylf_v1_eu_" + "0123456789")).startsWith("https://logfire-eu.pydantic.dev");
        assertThat(target("0123456789")).startsWith("https://logfire-us.pydantic.dev");
    }

    private static String target(String token) {
        try (OtelSink sink = sink(Map.of("RLM_OTEL_PRESET", "logfire", "LOGFIRE_TOKEN", token))) {
            return sink.status().detail();
        }
    }

    @Test
    void page_ofATrace_isKnownOfPhoenix() {
        try (OtelSink sink = sink(Map.of("RLM_OTEL_PRESET", "phoenix"))) {
            assertThat(sink.location("r").orElseThrow())
                    .hasToString("http://localhost:6006/redirects/traces/"
                            + Ids.of("r").traceId());
        }
    }
}
