package dev.rlm.collector;

import static dev.rlm.collector.Otlp.request;
import static dev.rlm.collector.Otlp.span;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Events of {@code rlm record} at the address that takes OTLP. */
@Timeout(180)
class CollectEventsTest {
    private static final String EVENTS = """
            {"type":"run_started","run_id":"r1","environment":"my-env","rollout_id":"ro-1"}
            {"type":"reward_given","run_id":"r1","source":"judge","value":0.5}
            {"type":"run_ended","run_id":"r1","outcome":"completed"}
            """;

    @TempDir
    private Path folder;

    private static HttpResponse<byte[]> events(RunningCollector collector, String body, String... headers)
            throws Exception {
        return collector.post("/v1/events", body.getBytes(StandardCharsets.UTF_8), headers);
    }

    private static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    @Tag("thorough")
    @Tag("smoke")
    @Test
    void events_andSpans_areRecordedAtOneAddress() throws Exception {
        try (RunningCollector collector = RunningCollector.start(folder)) {
            HttpResponse<byte[]> answer = events(collector, EVENTS, "Content-Type", "application/x-ndjson");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(text(answer).lines()).hasSize(3).allMatch(line -> line.contains("\"synced\":true"));
            List<RunEvent> run = collector.events("r1");
            assertThat(run)
                    .filteredOn(RewardGiven.class::isInstance)
                    .map(event -> ((RewardGiven) event).value())
                    .containsExactly(0.5);

            collector.post(
                    "/v1/traces",
                    request(span(1, 0, "chat m", Map.of("gen_ai.operation.name", "chat")))
                            .toByteArray(),
                    "Content-Type",
                    "application/x-protobuf");
            assertThat(collector.events(Otlp.TRACE)).isNotEmpty();

            assertThat(events(collector, EVENTS, "Content-Type", "text/plain").statusCode())
                    .isEqualTo(415);
            HttpResponse<String> status = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(collector.url() + "/v1/rollouts"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(status.statusCode()).as(status.body()).isEqualTo(200);
            assertThat(status.body()).contains("ro-1");

            events(
                    collector,
                    "{\"type\":\"run_started\",\"run_id\":\"r2\",\"environment\":\"my-env\"}",
                    "Content-Type",
                    "application/json");
            collector.stop();
            assertThat(collector.err()).contains("made 1 run of ", "recorded 2 runs (1 completed, 0 failed, 1 aborted");
        }
    }

    @Test
    void events_needTheToken_whereThereIsOne() throws Exception {
        try (RunningCollector collector =
                RunningCollector.start(folder, Map.of("RLM_COLLECT_TOKEN", "collect-token-of-this-test"))) {
            assertThat(events(collector, EVENTS, "Content-Type", "application/x-ndjson")
                            .statusCode())
                    .isEqualTo(401);
            assertThat(events(
                                    collector,
                                    EVENTS,
                                    "Content-Type",
                                    "application/x-ndjson",
                                    "x-rlm-token",
                                    "collect-token-of-this-test")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(collector.events("r1")).isNotEmpty();
        }
    }
}
