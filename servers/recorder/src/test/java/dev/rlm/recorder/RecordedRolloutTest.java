package dev.rlm.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.json.Json;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Logs, statuses and traces of rollouts, as trainers send and ask for them at {@code rlm record --port}. */
class RecordedRolloutTest {
    private static final String TOKEN = RunningRecorder.TOKEN;
    private static final String JOB = "token-of-job-one-0123";
    private static final String OTHER = "token-of-job-two-0123";
    private static final String START = "{\"type\":\"run_started\",\"run_id\":\"run-%d\",\"environment\":\"e\","
            + "\"model\":\"m\",\"rollout_id\":\"r\",\"row_id\":\"w\",\"attempt\":%d%s}\n";
    private static final String END = "{\"type\":\"run_ended\",\"run_id\":\"run-%d\"}\n";

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private RunningRecorder recorder;

    @BeforeEach
    void start() throws IOException {
        Path tokens = Files.writeString(folder.resolve("tokens"), "one " + JOB + "\nother " + OTHER + "\n");
        recorder = RunningRecorder.start(folder, Map.of(), "--tokens", tokens.toString());
    }

    @AfterEach
    void stop() throws InterruptedException {
        recorder.close();
    }

    private HttpRequest.Builder request(String token, String path) {
        return recorder.request(token, path).header("Content-Type", "application/json");
    }

    private HttpResponse<String> post(String token, String path, String body) throws Exception {
        return recorder.send(request(token, path)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build());
    }

    private HttpResponse<String> get(String token, String path) throws Exception {
        return recorder.send(request(token, path).build());
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

    @Test
    void whoWaits_isAnsweredAtTheEndOfTheRun() throws Exception {
        events(START.formatted(1, 1, ""));
        HttpRequest request = request(TOKEN, "/v1/status?rollout_id=r&wait=30s").build();
        CompletableFuture<HttpResponse<String>> waiting =
                HttpClient.newHttpClient().sendAsync(request, HttpResponse.BodyHandlers.ofString());
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
        assertThat(recorder.journal().runs()).hasSize(2);
        assertThat(recorder.journal().parts()).as("logs of the recorded run").hasSize(1);
    }

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
        HttpResponse<String> response = recorder.send(request);
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
