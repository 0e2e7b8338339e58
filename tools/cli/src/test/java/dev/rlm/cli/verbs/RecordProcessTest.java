package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.launcher.SampleAgent;
import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalJson;
import dev.rlm.journal.RunSummary;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code rlm record} as a process that is killed, stopped, or kept from writing. */
class RecordProcessTest {
    private static final String TOKEN = "0123456789abcdef0123";
    private static final Pattern LISTENING = Pattern.compile("listening on (http\\S+)/v1/events, token");
    private static final String START = "{\"type\":\"run_started\",\"run_id\":\"run-%d\",\"environment\":\"e\","
            + "\"model\":\"m\",\"rollout_id\":\"r\",\"row_id\":\"w\",\"attempt\":%d}\n";
    private static final String CALL = "{\"type\":\"model_called\",\"run_id\":\"run-1\",\"messages\":[{\"role\":"
            + "\"user\",\"content\":\"What is 3*4?\"}],\"reply\":{\"content\":\"It is 12.\"}}\n";
    private static final String END = "{\"type\":\"run_ended\",\"run_id\":\"run-%d\"}\n";

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();

    @SuppressWarnings("NullAway.Init") // set by each test
    private RlmProcess rlm;

    private String url = "";

    @AfterEach
    void end() {
        rlm.close();
    }

    private void start() throws IOException {
        rlm = RlmProcess.start(folder, Map.of("RLM_RECORD_TOKEN", TOKEN), "record", "--port", "0");
        rlm.await(() -> LISTENING.matcher(rlm.err()).find());
        Matcher said = LISTENING.matcher(rlm.err());
        assertThat(said.find()).isTrue();
        url = said.group(1);
    }

    private void restartAfterKill() throws Exception {
        rlm.process().destroyForcibly();
        assertThat(rlm.process().waitFor()).isEqualTo(137);
        start();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path))
                .header("Authorization", "Bearer " + TOKEN)
                .header("Content-Type", "application/json");
    }

    private HttpResponse<String> post(String path, String body) throws Exception {
        return client.send(
                request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private JsonNode tree(String path) throws Exception {
        return Json.REPLY.object(client.send(request(path).build(), HttpResponse.BodyHandlers.ofString())
                .body());
    }

    private JsonNode traces() throws Exception {
        return tree("/v1/traces/pointwise?tags=rollout_id:r").path("traces");
    }

    private int code() throws Exception {
        return tree("/v1/status?rollout_id=r").path("status").path("code").intValue(-1);
    }

    private void events(String lines) throws Exception {
        assertThat(post("/v1/events", lines).body()).as(lines).doesNotContain("\"ok\":false");
    }

    private void log(String status, String message) throws Exception {
        String body = "{\"status\":" + status + ",\"message\":\"" + message + "\",\"tags\":[\"rollout_id:r\"]}";
        assertThat(post("/logs", body).statusCode()).isEqualTo(200);
    }

    private static String code(int code) {
        return "{\"code\":" + code + ",\"message\":\"because\"}";
    }

    @Tag("thorough")
    @Test
    void runThatIsRecorded_isARollout_alsoAfterAKill() throws Exception {
        start();
        events(START.formatted(1, 1));
        assertThat(code()).isEqualTo(101);
        events(CALL);
        JsonNode trace = traces().path(0);
        assertThat(Json.text(trace.path("tags"))).isEqualTo("[\"rollout_id:r\",\"row_id:w\"]");
        assertThat(trace.path("output").path("content").asString()).isEqualTo("It is 12.");
        events(END.formatted(1));
        assertThat(code()).isEqualTo(100);
        restartAfterKill();
        assertThat(code()).isEqualTo(100);
        assertThat(traces()).hasSize(1);
        assertThat(tree("/v1/rollouts/r").path("run_id").asString()).isEqualTo("run-1");
    }

    @Tag("thorough")
    @Test
    void logs_areOfTheRunThatGoesOn_andItsNumbersStayItsClients() throws Exception {
        start();
        log(code(101), "on it");
        events(START.formatted(1, 1));
        log("null", "turn 1");
        events(CALL.replace("\"model_called\"", "\"model_called\",\"seq\":12"));
        log(code(100), "done");
        events(END.formatted(1).replace("\"run_ended\"", "\"run_ended\",\"seq\":20"));
        log("null", "one more");
        for (int i = 0; i < 2; i++) {
            assertThat(code()).isEqualTo(100);
            assertThat(tree("/logs?tags=rollout_id:r").path("entries")).hasSize(4);
            assertThat(traces()).hasSize(1);
            restartAfterKill();
        }
    }

    @Tag("thorough")
    @Test
    void nextAttempt_takesThePlaceOfTheFirst() throws Exception {
        start();
        events(START.formatted(1, 1) + CALL);
        log(code(13), "failed");
        assertThat(code()).isEqualTo(13);
        events(END.formatted(1));
        events(START.formatted(2, 2));
        assertThat(code()).isEqualTo(101);
        assertThat(traces()).isEmpty();
        assertThat(tree("/v1/rollouts/r").path("attempt").intValue()).isEqualTo(2);
        restartAfterKill();
        assertThat(tree("/v1/rollouts/r").path("attempt").intValue()).isEqualTo(2);
    }

    @Tag("thorough")
    @Test
    void logsAlone_areARolloutToo_andEndIt() throws Exception {
        start();
        log(code(101), "on it");
        restartAfterKill();
        assertThat(code()).isEqualTo(101);
        log(code(100), "done");
        restartAfterKill();
        assertThat(code()).isEqualTo(100);
        assertThat(tree("/logs?tags=rollout_id:r").path("entries")).hasSize(2);
    }

    @Test
    void journalThatCanWriteNoMore_isNotSaidToHaveALine() throws Exception {
        start();
        assertThat(post("/v1/events", START.formatted(1, 1)).body()).contains("\"ok\":true,\"synced\":true");
        String pid = String.valueOf(rlm.process().pid());
        assertThat(new ProcessBuilder("prlimit", "--pid", pid, "--fsize=0")
                        .start()
                        .waitFor())
                .isZero();

        assertThat(post("/v1/events", "{\"type\":\"step_ended\",\"run_id\":\"run-1\",\"reward\":1}")
                        .body())
                .startsWith("{\"line\":1,\"ok\":false,\"synced\":false,\"run_id\":\"run-1\"")
                .contains("not known to be synced");
    }

    @Tag("thorough")
    @Test
    void stop_abortsTheRunsThatGoOn() throws Exception {
        rlm = RlmProcess.start(folder, Map.of(), "record");
        write(START.formatted(1, 1) + "{\"type\":\"step_started\"}\n");
        rlm.await(() -> rlm.out().lines().count() == 2);

        rlm.signal("TERM"); // not destroy(), which closes the input too
        assertThat(rlm.process().waitFor(30, TimeUnit.SECONDS)).isTrue();

        assertThat(rlm.process().exitValue()).isEqualTo(143);
        assertThat(Journal.open(folder.resolve(".rlm")).events("run-1"))
                .filteredOn(RunEnded.class::isInstance)
                .singleElement()
                .satisfies(end -> assertThat(((RunEnded) end).outcome()).isEqualTo(Outcome.ABORTED));
        assertThat(rlm.err()).contains("recorded 1 run (0 completed, 0 failed, 1 aborted, 0 abandoned)");
    }

    @Tag("thorough")
    @Test
    void journal_recordedAgainFromItsOwnLines_isTheSame() throws Exception {
        Path first = Files.createDirectory(folder.resolve("first"));
        try (RlmProcess agent = RlmProcess.start(first, Map.of(), SampleAgent.class, "0")) {
            agent.awaitSuccess();
        }
        Journal journal = Journal.open(first.resolve(".rlm"));
        List<String> lines = lines(journal, journal.runs());

        rlm = RlmProcess.start(folder, Map.of(), "record");
        write(String.join("\n", lines) + "\n");
        rlm.process().getOutputStream().close();
        rlm.awaitSuccess();

        List<String> copied = lines(Journal.open(folder.resolve(".rlm")), journal.runs());
        assertThat(copied.stream().map(RecordProcessTest::withoutPath))
                .containsExactlyElementsOf(
                        lines.stream().map(RecordProcessTest::withoutPath).toList());
    }

    /** Returns all events that a journal has of runs. */
    private static List<String> lines(Journal journal, List<RunSummary> runs) {
        return runs.stream()
                .flatMap(run -> journal.events(run.run().runId()).stream())
                .map(JournalJson::event)
                .toList();
    }

    private static String withoutPath(String line) {
        return line.replaceFirst("\"run_path\":\"[^\"]*\",", "");
    }

    private void write(String lines) throws IOException {
        OutputStream in = rlm.process().getOutputStream();
        in.write(lines.getBytes(StandardCharsets.UTF_8));
        in.flush();
    }
}
