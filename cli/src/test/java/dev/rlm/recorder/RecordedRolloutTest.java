package dev.rlm.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.json.Json;
import dev.rlm.sinks.jsonl.Journal;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Logs, statuses and traces of rollouts, as trainers send and ask for them at {@code rlm record --port}. */
class RecordedRolloutTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TOKEN = "0123456789abcdef0123";
    private static final String JOB = "token-of-job-one-0123";
    private static final String OTHER = "token-of-job-two-0123";
    private static final Pattern LISTENING = Pattern.compile("listening on (http\\S+)/v1/events, token");
    private static final String START = "{\"type\":\"run_started\",\"run_id\":\"run-%d\",\"environment\":\"e\","
            + "\"model\":\"m\",\"rollout_id\":\"r\",\"row_id\":\"w\",\"attempt\":%d%s}\n";
    private static final String CALL = "{\"type\":\"model_called\",\"run_id\":\"run-1\",\"messages\":[{\"role\":"
            + "\"user\",\"content\":\"What is 3*4?\"}],\"reply\":{\"content\":\"It is 12.\"}}\n";
    private static final String END = "{\"type\":\"run_ended\",\"run_id\":\"run-%d\"}\n";

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();

    @SuppressWarnings("NullAway.Init") // set before each test
    private RlmProcess rlm;

    private String url = "";

    @BeforeEach
    void start() throws IOException {
        Files.writeString(folder.resolve("tokens"), "one " + JOB + "\nother " + OTHER + "\n");
        rlm = RlmProcess.start(
                folder, Map.of("RLM_RECORD_TOKEN", TOKEN), "record", "--port", "0", "--tokens", "tokens");
        await().atMost(PATIENCE).until(() -> LISTENING.matcher(rlm.err()).find());
        Matcher said = LISTENING.matcher(rlm.err());
        assertThat(said.find()).isTrue();
        url = said.group(1);
    }

    @AfterEach
    void stop() {
        rlm.close();
    }

    private void restartAfterKill() throws Exception {
        rlm.process().destroyForcibly();
        assertThat(rlm.process().waitFor()).isEqualTo(137);
        start();
    }

    private HttpRequest.Builder request(String token, String path) {
        return HttpRequest.newBuilder(URI.create(url + path))
                .timeout(PATIENCE)
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json");
    }

    private HttpResponse<String> post(String token, String path, String body) throws Exception {
        return client.send(
                request(token, path)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String token, String path) throws Exception {
        return client.send(request(token, path).build(), HttpResponse.BodyHandlers.ofString());
    }

    private JsonNode tree(String path) throws Exception {
        return Json.REPLY.object(get(TOKEN, path).body());
    }

    private int code() throws Exception {
        return tree("/v1/status?rollout_id=r").path("status").path("code").intValue(-1);
    }

    private void events(String lines) throws Exception {
        HttpResponse<String> answer = post(TOKEN, "/v1/events", lines);
        assertThat(answer.body()).as(lines).doesNotContain("\"ok\":false");
    }

    private void log(String token, String status, String message) throws Exception {
        String body = "{\"status\":" + status + ",\"message\":\"" + message + "\",\"tags\":[\"rollout_id:r\"]}";
        assertThat(post(token, "/logs", body).statusCode()).isEqualTo(200);
    }

    private static String code(int code) {
        return "{\"code\":" + code + ",\"message\":\"because\"}";
    }

    @Tag("thorough")
    @Test
    void runThatIsRecorded_isARollout_alsoAfterAKill() throws Exception {
        events(START.formatted(1, 1, ""));
        assertThat(code()).isEqualTo(101);
        events(CALL);
        JsonNode trace =
                tree("/v1/traces/pointwise?tags=rollout_id:r").path("traces").path(0);
        assertThat(Json.text(trace.path("tags"))).isEqualTo("[\"rollout_id:r\",\"row_id:w\"]");
        assertThat(trace.path("output").path("content").asString()).isEqualTo("It is 12.");
        events(END.formatted(1));
        assertThat(code()).isEqualTo(100);
        restartAfterKill();
        assertThat(code()).isEqualTo(100);
        assertThat(tree("/v1/traces/pointwise?tags=rollout_id:r").path("traces"))
                .hasSize(1);
        assertThat(tree("/v1/rollouts/r").path("run_id").asString()).isEqualTo("run-1");
    }

    @Tag("thorough")
    @Test
    void logs_areOfTheRunThatGoesOn_andItsNumbersStayItsClients() throws Exception {
        log(TOKEN, code(101), "on it");
        events(START.formatted(1, 1, ""));
        log(TOKEN, "null", "turn 1");
        events(CALL.replace("\"model_called\"", "\"model_called\",\"seq\":12"));
        log(TOKEN, code(100), "done");
        events(END.formatted(1).replace("\"run_ended\"", "\"run_ended\",\"seq\":20"));
        log(TOKEN, "null", "one more");
        for (int i = 0; i < 2; i++) {
            assertThat(code()).isEqualTo(100);
            assertThat(tree("/logs?tags=rollout_id:r").path("entries")).hasSize(4);
            assertThat(tree("/v1/traces/pointwise?tags=rollout_id:r").path("traces"))
                    .hasSize(1);
            restartAfterKill();
        }
    }

    @Tag("thorough")
    @Test
    void nextAttempt_takesThePlaceOfTheFirst() throws Exception {
        events(START.formatted(1, 1, "") + CALL);
        log(TOKEN, code(13), "failed");
        assertThat(code()).isEqualTo(13);
        events(END.formatted(1));
        events(START.formatted(2, 2, ""));
        assertThat(code()).isEqualTo(101);
        assertThat(tree("/v1/traces/pointwise?tags=rollout_id:r").path("traces"))
                .isEmpty();
        assertThat(tree("/v1/rollouts/r").path("attempt").intValue()).isEqualTo(2);
        restartAfterKill();
        assertThat(tree("/v1/rollouts/r").path("attempt").intValue()).isEqualTo(2);
    }

    @Tag("thorough")
    @Test
    void logsAlone_areARolloutToo_andEndIt() throws Exception {
        log(TOKEN, code(101), "on it");
        restartAfterKill();
        assertThat(code()).isEqualTo(101);
        log(TOKEN, code(100), "done");
        restartAfterKill();
        assertThat(code()).isEqualTo(100);
        assertThat(tree("/logs?tags=rollout_id:r").path("entries")).hasSize(2);
    }

    @Test
    void whoWaits_isAnsweredAtTheEndOfTheRun() throws Exception {
        events(START.formatted(1, 1, ""));
        CompletableFuture<HttpResponse<String>> waiting = client.sendAsync(
                request(TOKEN, "/v1/status?rollout_id=r&wait=30s").build(), HttpResponse.BodyHandlers.ofString());
        events(END.formatted(1));
        assertThat(waiting.join().body()).contains("{\"code\":100}");
    }

    @Test
    void rollout_isSeenByTheJobThatItsTagNames_andByNoOther() throws Exception {
        events(START.formatted(1, 1, ",\"tags\":{\"rollout_job\":\"one\"}"));
        log(JOB, "null", "turn 1");
        assertThat(get(JOB, "/v1/status?rollout_id=r").body()).contains("{\"code\":101}");
        assertThat(get(OTHER, "/v1/status?rollout_id=r").statusCode()).isEqualTo(404);
        assertThat(get(OTHER, "/logs?tags=rollout_id:r").body()).contains("[]");
        log(OTHER, code(100), "its own");
        assertThat(get(JOB, "/v1/status?rollout_id=r").body()).contains("{\"code\":101}");
        assertThat(Journal.open(folder.resolve(".rlm")).runs()).hasSize(3);
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({
        "GET, /v1/status?rollout_id=r, unknown-token-0123, 401",
        "GET, /v1/status, 0123456789abcdef0123, 400",
        "GET, /v1/status?rollout_id=r, 0123456789abcdef0123, 404",
        "GET, /v1/rollouts/r, 0123456789abcdef0123, 404",
        "POST, /logs, unknown-token-0123, 401",
        "POST, /v1/logs, token-of-job-one-0123, 400",
        "PUT, /logs, 0123456789abcdef0123, 405",
        "POST, /v1/events, token-of-job-one-0123, 403",
        "POST, /rollouts/r/end, token-of-job-one-0123, 404"
    })
    void requestThatIsNotRight_isRefusedInWords(String method, String path, String token, int status) throws Exception {
        HttpRequest request = request(token, path)
                .method(method, HttpRequest.BodyPublishers.ofString("{}"))
                .build();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.body()).startsWith("{\"ok\":false,\"error\":\"");
    }

    @Test
    void runOfOthers_isNotEndedHere() throws Exception {
        events(START.formatted(1, 1, ""));
        assertThat(post(TOKEN, "/rollouts/r/end", "{}").statusCode()).isEqualTo(409);
        assertThat(code()).isEqualTo(101);
        events(END.formatted(1));
        assertThat(post(TOKEN, "/rollouts/r/end", "{}").statusCode()).isEqualTo(200);
    }
}
