package dev.rlm.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code rlm record --port}, over real sockets. */
class RecordHttpTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TOKEN = RunningRecorder.TOKEN;
    private static final String JSON = "application/json";
    private static final String START = "{\"type\":\"run_started\",\"run_id\":\"r\",\"environment\":\"e\"}";

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set by start()
    private RunningRecorder recorder;

    @AfterEach
    void stop() throws InterruptedException {
        recorder.close();
    }

    @Test
    void request_isAnsweredLineByLine() throws Exception {
        start(Map.of());
        HttpResponse<String> response = post(
                "application/x-ndjson",
                START + "\n{\"type\":\"step_ended\",\"reward\":1}\n{\"type\":\"x\"}\n{\"type\":\"run_ended\"}");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body().lines())
                .hasSize(4)
                .filteredOn(line -> line.contains("\"ok\":true,\"synced\":true,\"run_id\":\"r\""))
                .hasSize(3);
        assertThat(recorder.journal().run("r").state()).isEqualTo(RunState.COMPLETED);
    }

    /** Its answer may have been lost on the way. */
    @Test
    void requestThatIsSentAgain_isRecordedOnce_andToldAsRepeated() throws Exception {
        start(Map.of());
        String first = "{\"type\":\"run_started\",\"run_id\":\"r\",\"seq\":1,\"environment\":\"e\"}\n"
                + "{\"type\":\"reward_given\",\"run_id\":\"r\",\"seq\":2,\"value\":1}";
        String end = "{\"type\":\"run_ended\",\"run_id\":\"r\",\"seq\":3}";
        post("application/x-ndjson", first);
        HttpResponse<String> again = post("application/x-ndjson", first + "\n" + end);
        HttpResponse<String> last = post("application/x-ndjson", first + "\n" + end);

        assertThat(again.body().lines().filter(line -> line.contains("\"repeated\":true")))
                .hasSize(2);
        assertThat(again.body().lines()).last().asString().contains("\"ok\":true,\"synced\":true");
        assertThat(last.body().lines()).hasSize(3).allMatch(line -> line.contains("\"repeated\":true"));
        assertThat(recorder.journal().run("r").totalReward()).isEqualTo(1);
    }

    @Test
    void laterAttempt_abandonsTheOpenOneBeforeIt() throws Exception {
        start(Map.of());
        for (int attempt = 1; attempt <= 2; attempt++) {
            post(
                    JSON,
                    "{\"type\":\"run_started\",\"run_id\":\"r" + attempt
                            + "\",\"environment\":\"e\",\"invocation_id\":\"i\"," + "\"rollout_id\":\"o\",\"attempt\":"
                            + attempt + "}");
            post(
                    JSON,
                    "{\"type\":\"run_started\",\"run_id\":\"other" + attempt
                            + "\",\"environment\":\"e\",\"invocation_id\":\"i\",\"rollout_id\":\"other" + attempt
                            + "\"}");
        }
        Journal journal = recorder.journal();
        assertThat(journal.run("r1").state()).isEqualTo(RunState.ABANDONED);
        assertThat(journal.run("r2").state()).isEqualTo(RunState.RUNNING);
        assertThat(journal.run("other1").state()).isEqualTo(RunState.RUNNING);
        assertThat(post(JSON, "{\"type\":\"heartbeat\",\"run_id\":\"r1\"}").body())
                .contains("attempt 2 at its rollout has begun");
    }

    /** The record of a job may be another process's. */
    @Test
    void job_thatSendsItsEventsHere_isWholeInThisJournal() throws Exception {
        start(Map.of());
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Map<String, String> there = Map.of(
                "RLM_RECORD_URL",
                recorder.url(),
                "RLM_RECORD_TOKEN",
                TOKEN,
                "RLM_JSONL_DIR",
                elsewhere.resolve(".rlm").toString());
        Cli job = Cli.with(there, "run", "--samples", "5", "--sink", "record");
        assertThat(job.exitCode()).as(job.err()).isZero();
        assertThat(job.out()).containsPattern("record +(\\d+) of \\1 events delivered");
        assertThat(elsewhere.resolve(".rlm")).doesNotExist();
        assertThat(recorder.journal().runs())
                .hasSize(20)
                .allMatch(run -> run.row().end() != null);
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v1/events, wrong, application/json, 401",
        "POST, /v1/events, 0123456789abcdef0123, text/plain, 415",
        "GET, /v1/events, 0123456789abcdef0123, application/json, 405",
        "POST, /v1/other, 0123456789abcdef0123, application/json, 404",
        "GET, /v1/health, wrong, application/json, 200"
    })
    void request_thatIsNotRight_isRefusedInWords(String method, String path, String given, String type, int status)
            throws Exception {
        start(Map.of());
        HttpRequest request = recorder.request(given, path)
                .header("Content-Type", type)
                .method(method, HttpRequest.BodyPublishers.ofString(START))
                .build();
        HttpResponse<String> response = recorder.send(request);

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.body()).startsWith(status == 200 ? "{\"ok\":true" : "{\"ok\":false,\"error\":\"");
        assertThat(response.headers().map()).doesNotContainKey("access-control-allow-origin");
    }

    @Tag("thorough")
    @Test
    void requestWithMoreLinesThanQueuesHold_isRecordedWhole() throws Exception {
        start(Map.of());
        int lines = 200_000;
        String body = START + "\n" + "{\"type\":\"heartbeat\"}\n".repeat(lines);

        assertThat(post("application/x-ndjson", body).body().lines())
                .hasSize(1 + lines)
                .allMatch(line -> line.contains("\"ok\":true,\"synced\":true"));
    }

    @Test
    void bodyThatIsTooLong_isRefused_andNothingOfItIsRecorded() throws Exception {
        start(Map.of());
        byte[] body = new byte[(64 << 20) + 1];
        HttpRequest request = recorder.request(TOKEN, "/v1/events")
                .header("Content-Type", JSON)
                .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)))
                .build();

        assertThat(recorder.send(request).statusCode()).isEqualTo(413);
        assertThat(post(JSON, START).body()).contains("\"ok\":true");
    }

    @Test
    void otherHost_isRefused() throws Exception {
        start(Map.of());
        URI at = URI.create(recorder.url());
        try (Socket socket = new Socket(at.getHost(), at.getPort())) {
            socket.getOutputStream()
                    .write("GET /v1/health HTTP/1.1\r\nHost: evil.example:80\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            byte[] answer = socket.getInputStream().readNBytes(12);
            assertThat(new String(answer, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 403");
        }
    }

    @Test
    void portInUse_isSaidInALine() throws Exception {
        start(Map.of());
        Path other = folder.resolve("other");
        String port = String.valueOf(URI.create(recorder.url()).getPort());
        Cli second = Cli.with(Map.of("RLM_JSONL_DIR", other.toString()), "record", "--port", port);
        assertThat(second.exitCode()).isEqualTo(2);
        assertThat(second.err())
                .startsWith("rlm: --port=" + port + " cannot be had: ")
                .hasLineCount(1);
    }

    @Test
    void tokensFile_replacesAToken_andNothingElse() throws Exception {
        Path notes = Files.writeString(folder.resolve("notes"), "my notes\n");
        Map<String, String> variables =
                Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString());
        Cli refused = Cli.with(variables, "record", "--port", "0", "--token-file", notes.toString());
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("and holds no token");
        assertThat(notes).hasContent("my notes");

        Path stale = Files.writeString(folder.resolve("token"), "fedcba98765432100123\n");
        start(Map.of(), "--token-file", stale.toString());
        assertThat(stale).hasContent(TOKEN);
    }

    @Test
    void lineOfAnEarlierRequestsRun_mustNameIt() throws Exception {
        start(Map.of());
        assertThat(post(JSON, START).body()).contains("\"ok\":true");
        assertThat(post(JSON, "{\"type\":\"heartbeat\"}").body()).contains("heartbeat needs run_id");
        assertThat(post(JSON, "{\"type\":\"heartbeat\",\"run_id\":\"r\"}").body())
                .contains("\"ok\":true");
    }

    @Test
    void silentRun_isAbandoned_andSaysSoToItsClient() throws Exception {
        start(Map.of(), "--idle-timeout", "200ms");
        post(JSON, START);
        await().atMost(PATIENCE).until(() -> recorder.journal().run("r").state() == RunState.ABANDONED);

        assertThat(post(JSON, "{\"type\":\"step_ended\",\"run_id\":\"r\",\"reward\":1}")
                        .body())
                .contains("the run was abandoned: nothing was heard of it for 200ms");
    }

    @Tag("thorough")
    @Test
    void runsMarker_arrivesWhileItRuns_andItsStepsAsTheyEnd() throws Exception {
        try (OtlpReceiver receiver = OtlpReceiver.start()) {
            start(Map.of(
                    "RLM_OTEL_ENABLED", "true",
                    "RLM_OTEL_METRICS_ENABLED", "false",
                    "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.httpEndpoint()));
            post(JSON, START);
            receiver.await(all -> all.spans("rlm.run.started").size() == 1);
            post(JSON, "{\"type\":\"step_ended\",\"run_id\":\"r\",\"reward\":1}");
            receiver.await(all -> all.spans("rlm.step").size() == 1);
            assertThat(receiver.spans("rlm.run")).isEmpty();
            post(JSON, "{\"type\":\"run_ended\",\"run_id\":\"r\"}");
            receiver.await(all -> all.spans("rlm.run").size() == 1);
            recorder.close(); // while there is who takes the rest
        }
    }

    @Test
    void stop_abortsWhatGoesOn_andTakesTheTokensFileAway() throws Exception {
        Path file = folder.resolve("token");
        start(Map.of(), "--token-file", file.toString());
        assertThat(recorder.rlm().err()).doesNotContain(TOKEN);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        HttpRequest request = recorder.request(Files.readString(file).strip(), "/v1/events")
                .header("Content-Type", JSON)
                .POST(HttpRequest.BodyPublishers.ofString(START))
                .build();
        recorder.send(request);

        assertThat(recorder.rlm().stop()).isEqualTo(130);

        assertThat(recorder.journal().run("r").state()).isEqualTo(RunState.ABORTED);
        assertThat(file).doesNotExist();
    }

    @Test
    void tokenOfTheUsersFile_isTaken_andItsFileStays() throws Exception {
        String own = "own-token-of-the-user";
        Path file = Files.writeString(folder.resolve("token"), own + "\n");
        start(Map.of("RLM_RECORD_TOKEN", ""), "--token-file", file.toString());
        HttpRequest request = recorder.request(own, "/v1/events")
                .header("Content-Type", JSON)
                .POST(HttpRequest.BodyPublishers.ofString(START))
                .build();
        assertThat(recorder.send(request).body()).contains("\"ok\":true");

        assertThat(recorder.rlm().stop()).isEqualTo(130);

        assertThat(file).content().isEqualTo(own + "\n");
    }

    private void start(Map<String, String> variables, String... more) throws IOException {
        recorder = RunningRecorder.start(folder, variables, more);
    }

    private HttpResponse<String> post(String type, String body) throws IOException, InterruptedException {
        return recorder.post(type, body);
    }
}
