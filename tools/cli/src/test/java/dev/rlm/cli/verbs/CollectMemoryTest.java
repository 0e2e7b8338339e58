package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.testkit.HostileClients;
import dev.rlm.cli.testkit.OtlpJson;
import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.ModelCalled;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code rlm collect} in a small heap or on a small disk, with clients that send more than there is room for. */
@Tag("thorough")
class CollectMemoryTest extends HostileClients {
    private static final List<String> SMALL_HEAP = List.of("-Xmx96m");
    private static final int MANY = 150;
    private static final int CONNECTIONS = 10_000;
    private static final int LARGE = 3 << 20; // of an eighth of the smallest heap two such fit

    @SuppressWarnings("NullAway.Init") // by each test
    private CollectProcess collector;

    @AfterEach
    void stop() {
        collector.close();
    }

    private Server start() throws Exception {
        collector = CollectProcess.start(List.of(), folder, SMALL_HEAP);
        return server();
    }

    private Server server() {
        Map<String, String> headers = Map.of("Content-Type", "application/json");
        return new Server(URI.create(collector.url() + "/v1/traces"), headers, "{\"resourceSpans\":[]}");
    }

    /** An agent and so many calls in it. */
    private static String[] spans(int trace, int calls, String text) {
        String[] all = new String[calls + 1];
        all[0] = OtlpJson.span(trace, 1, 0, "agent", Map.of("gen_ai.operation.name", "invoke_agent"));
        for (int i = 1; i <= calls; i++) {
            Map<String, String> attributes = Map.of("gen_ai.operation.name", "chat", "gen_ai.prompt", text + i);
            all[i] = OtlpJson.span(trace, i + 1, 1, "chat", attributes);
        }
        return all;
    }

    private int status(String json) throws Exception {
        return CollectProcess.post(collector.url(), json).statusCode();
    }

    @Test
    void deepAndManyValues_areRefused() throws Exception {
        Server server = start();
        String deep = "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"attributes\":" + "[".repeat(100_000)
                + "]".repeat(100_000) + "}]}]}]}";
        assertThat(status(deep)).isEqualTo(400);
        String many = "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"attributes\":[" + "{},".repeat(2_000_000)
                + "{}]}]}]}]}";
        assertThat(status(many)).isEqualTo(413);
        assertAnswers(server);
    }

    @Test
    void manyAtOnce_areTakenOrRefused_andNoTextIsGivenUp() throws Exception {
        Server server = start();
        String text = "api_key of the job: none. ".repeat(400);
        ExecutorService senders = Executors.newFixedThreadPool(MANY);
        try {
            List<Future<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                String[] spans = spans(i + 1, 20, text);
                answers.add(senders.submit(() -> collector.send(spans).statusCode()));
            }
            for (Future<Integer> answer : answers) {
                assertThat(answer.get()).isIn(200, 429);
            }
        } finally {
            senders.shutdownNow();
        }
        assertThat(collector.rlm().err()).doesNotContain("text was dropped");
        assertAnswers(server);
    }

    @Test
    void traceWithoutAnAgent_thatNeverEnds_isLetGo() throws Exception {
        Server server = start();
        Map<String, String> query = Map.of("db.query.text", "SELECT this FROM that ".repeat(800));
        for (int i = 0; i < 100; i++) {
            String[] spans = new String[20];
            for (int j = 0; j < spans.length; j++) {
                spans[j] = OtlpJson.span(1, 20 * i + j + 1, 1_000_000, "SELECT", query);
            }
            assertThat(collector.send(spans).statusCode()).isIn(200, 429);
        }
        assertAnswers(server);
        collector.stop();
        assertThat(collector.rlm().err()).doesNotContain("OutOfMemory", "Exception");
    }

    @Test
    void thousandsOfConnections_areHeldInASmallHeap() throws Exception {
        Server server = start();
        int open = 0;
        for (int i = 0; i < CONNECTIONS; i++) {
            try {
                connect(server);
                open++;
            } catch (IOException e) {
                break; // as many as the system gives
            }
            if (i % 1_000 == 0) {
                assertAnswers(server);
            }
        }
        assertThat(open).isGreaterThan(1_000);
        assertAnswers(server);
        assertThat(collector.rlm().err()).doesNotContain("OutOfMemory");
    }

    @Test
    void requests_forWhichThereIsNoRoom_areToBeSentAgain() throws Exception {
        collector = CollectProcess.start(List.of(), folder, List.of("-Xmx64m"));
        List<Socket> underWay = new ArrayList<>();
        for (int i = 0; i < 4; i++) { // of which the heap has room for two
            underWay.add(connect(server()));
            send(underWay.get(i), head(server(), "Content-Length: " + LARGE));
            sendAsFarAsItGoes(underWay.get(i), " ".repeat(LARGE - 1));
        }
        await("a refusal")
                .atMost(CollectProcess.PATIENCE)
                .until(() -> underWay.stream().anyMatch(CollectMemoryTest::isAnswered));
        Socket refused = underWay.stream()
                .filter(CollectMemoryTest::isAnswered)
                .findFirst()
                .orElseThrow();
        byte[] answer = new byte[refused.getInputStream().available()];
        assertThat(refused.getInputStream().read(answer)).isPositive();
        assertThat(new String(answer, StandardCharsets.ISO_8859_1))
                .startsWith("HTTP/1.1 429 ")
                .containsIgnoringCase("Retry-After: 1");
        for (Socket socket : underWay) {
            socket.close();
        }

        String chat = OtlpJson.span(42, 1, 0, "chat m", Map.of("gen_ai.operation.name", "chat"));
        await("room")
                .atMost(CollectProcess.PATIENCE)
                .until(() -> collector.send(chat).statusCode() == 200);
        assertThat(collector.events(OtlpJson.runId(42))).isNotEmpty();
    }

    /** Sends what a server may refuse before the end of it. */
    private static void sendAsFarAsItGoes(Socket socket, String text) {
        try {
            send(socket, text);
        } catch (IOException e) {
            // it is refused, and its connection closed
        }
    }

    private static boolean isAnswered(Socket socket) {
        try {
            return socket.getInputStream().available() > 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** The folder has a file system of its own, which is soon full; it goes with the process. */
    @Test
    void fullDisk_isAnsweredWith503_andWhatWasAcknowledgedIsThere() throws Exception {
        String mount = "mount -t tmpfs -o size=4m tmpfs " + folder.resolve(".rlm");
        Files.createDirectory(folder.resolve(".rlm"));
        collector = CollectProcess.start(starter(mount), folder, SMALL_HEAP);
        Path within = Path.of("/proc/" + collector.rlm().process().pid() + "/root" + folder.resolve(".rlm"));
        Path other = Files.write(within.resolve("of-another"), new byte[3 << 20]);
        String text = "word ".repeat(2_000);
        int acknowledged = 0;
        HttpResponse<String> answer = collector.send(spans(1, 5, text));
        while (answer.statusCode() == 200 && acknowledged < 1_000) {
            acknowledged++;
            answer = collector.send(spans(acknowledged + 1, 5, text));
        }
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        assertThat(answer.body()).contains("the disk does not take it");

        Files.delete(other); // and it goes on
        String[] again = spans(acknowledged + 1, 5, text);
        await("room")
                .atMost(CollectProcess.PATIENCE)
                .until(() -> collector.send(again).statusCode() == 200);
        int runs = acknowledged + 1;
        await().atMost(CollectProcess.PATIENCE)
                .ignoreException(JournalException.class) // nothing was recorded before there was room
                .untilAsserted(() -> assertThat(Journal.open(within).runs())
                        .hasSize(runs)
                        .allMatch(run -> run.row().end() != null));
        for (RunSummary run : Journal.open(within).runs()) {
            assertThat(Journal.open(within).events(run.runId()))
                    .filteredOn(ModelCalled.class::isInstance)
                    .as(run.runId())
                    .hasSize(5);
        }
    }

    private static List<String> starter(String mount) throws InterruptedException {
        boolean works;
        try {
            works = new ProcessBuilder("unshare", "-m", "sh", "-c", mount)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            works = false;
        }
        assumeTrue(works, "unshare -m and mount are needed");
        return List.of("unshare", "-m", "sh", "-c", mount + " && exec \"$@\"", "sh");
    }
}
