package dev.rlm.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.RunState;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code rlm record --port}, over real sockets. */
class RecordHttpTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TOKEN = "0123456789abcdef0123";
    private static final String JSON = "application/json";
    private static final String START = "{\"type\":\"run_started\",\"run_id\":\"r\",\"environment\":\"e\"}";
    private static final Pattern LISTENING = Pattern.compile("listening on (http\\S+)/v1/events, token (.*)");

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();

    @SuppressWarnings("NullAway.Init") // set by start()
    private RlmProcess rlm;

    private String url = "";
    private String token = "";

    @AfterEach
    void stop() {
        rlm.close();
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
        assertThat(Journal.open(folder.resolve(".rlm")).run("r").state()).isEqualTo(RunState.COMPLETED);
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
        assertThat(Journal.open(folder.resolve(".rlm")).run("r").totalReward()).isEqualTo(1);
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
        Journal journal = Journal.open(folder.resolve(".rlm"));
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
        Map<String, String> there = Map.of("RLM_RECORD_URL", url.replace("/v1/events", ""), "RLM_RECORD_TOKEN", token);
        try (RlmProcess job = RlmProcess.start(elsewhere, there, "run", "--samples", "5", "--sink", "record")) {
            job.awaitSuccess();
            assertThat(job.out()).containsPattern("record +(\\d+) of \\1 events delivered");
        }
        assertThat(elsewhere.resolve(".rlm")).doesNotExist();
        assertThat(Journal.open(folder.resolve(".rlm")).runs())
                .hasSize(20)
                .allMatch(run -> run.row().end() != null);
    }

    @Tag("thorough")
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
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .header("Authorization", "Bearer " + given)
                .header("Content-Type", type)
                .method(method, HttpRequest.BodyPublishers.ofString(START))
                .build();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());

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

    @Tag("thorough")
    @Test
    void bodyThatIsTooLong_isRefused_andNothingOfItIsRecorded() throws Exception {
        start(Map.of());
        byte[] body = new byte[(64 << 20) + 1];
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/v1/events"))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", JSON)
                .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)))
                .build();

        assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(413);
        assertThat(post(JSON, START).body()).contains("\"ok\":true");
    }

    @Test
    void journalThatCanWriteNoMore_isNotSaidToHaveALine() throws Exception {
        start(Map.of());
        assertThat(post(JSON, START).body()).contains("\"ok\":true,\"synced\":true");
        String pid = String.valueOf(rlm.process().pid());
        assertThat(new ProcessBuilder("prlimit", "--pid", pid, "--fsize=0")
                        .start()
                        .waitFor())
                .isZero();

        assertThat(post(JSON, "{\"type\":\"step_ended\",\"run_id\":\"r\",\"reward\":1}")
                        .body())
                .startsWith("{\"line\":1,\"ok\":false,\"synced\":false,\"run_id\":\"r\"")
                .contains("not known to be synced");
    }

    @Test
    void otherHost_isRefused() throws Exception {
        start(Map.of());
        URI at = URI.create(url);
        try (Socket socket = new Socket(at.getHost(), at.getPort())) {
            socket.getOutputStream()
                    .write("GET /v1/health HTTP/1.1\r\nHost: evil.example:80\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            byte[] answer = socket.getInputStream().readNBytes(12);
            assertThat(new String(answer, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 403");
        }
    }

    @Tag("thorough")
    @Test
    void portInUse_isSaidInALine() throws Exception {
        start(Map.of());
        Path other = Files.createDirectory(folder.resolve("other"));
        String port = String.valueOf(URI.create(url).getPort());
        try (RlmProcess second = RlmProcess.start(other, Map.of(), "record", "--port", port)) {
            assertThat(second.process().waitFor()).isEqualTo(2);
            assertThat(second.err())
                    .startsWith("rlm: --port=" + port + " cannot be had: ")
                    .hasLineCount(1);
        }
    }

    @Tag("thorough")
    @Test
    void tokensFile_replacesAToken_andNothingElse() throws Exception {
        Path notes = Files.writeString(folder.resolve("notes"), "my notes\n");
        rlm = RlmProcess.start(folder, Map.of(), "record", "--port", "0", "--token-file", notes.toString());
        assertThat(rlm.process().waitFor()).isEqualTo(2);
        assertThat(rlm.err()).contains("and holds no token");
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
        await().atMost(PATIENCE)
                .until(() -> Journal.open(folder.resolve(".rlm")).run("r").state() == RunState.ABANDONED);

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
                    "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.grpcEndpoint()));
            post(JSON, START);
            receiver.await(all -> all.spans("rlm.run.started").size() == 1);
            post(JSON, "{\"type\":\"step_ended\",\"run_id\":\"r\",\"reward\":1}");
            receiver.await(all -> all.spans("rlm.step").size() == 1);
            assertThat(receiver.spans("rlm.run")).isEmpty();
            post(JSON, "{\"type\":\"run_ended\",\"run_id\":\"r\"}");
            receiver.await(all -> all.spans("rlm.run").size() == 1);
        }
    }

    @Test
    void stop_abortsWhatGoesOn_andTakesTheTokensFileAway() throws Exception {
        Path file = folder.resolve("token");
        start(Map.of(), "--token-file", file.toString());
        assertThat(rlm.err()).doesNotContain(TOKEN);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        token = Files.readString(file).strip();
        post(JSON, START);

        rlm.process().destroy();
        assertThat(rlm.process().waitFor(30, TimeUnit.SECONDS)).isTrue();

        assertThat(Journal.open(folder.resolve(".rlm")).run("r").state()).isEqualTo(RunState.ABORTED);
        assertThat(file).doesNotExist();
    }

    private void start(Map<String, String> variables, String... more) throws IOException {
        Map<String, String> all = new HashMap<>(variables);
        all.put("RLM_RECORD_TOKEN", TOKEN);
        String[] arguments = new String[more.length + 3];
        System.arraycopy(new String[] {"record", "--port", "0"}, 0, arguments, 0, 3);
        System.arraycopy(more, 0, arguments, 3, more.length);
        rlm = RlmProcess.start(folder, all, arguments);
        await().atMost(PATIENCE).until(() -> LISTENING.matcher(rlm.err()).find());
        Matcher said = LISTENING.matcher(rlm.err());
        assertThat(said.find()).isTrue();
        url = said.group(1);
        token = TOKEN;
    }

    private HttpResponse<String> post(String type, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/v1/events"))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
