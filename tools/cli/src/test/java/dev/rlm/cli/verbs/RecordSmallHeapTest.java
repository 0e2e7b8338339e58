package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code rlm record} in a small heap. */
@Tag("thorough")
class RecordSmallHeapTest extends SmallHeapContract {
    private static final String TOKEN = "0123456789abcdef0123";
    private static final String METRICS =
            "{\"type\":\"metrics_reported\",\"category\":\"misc\",\"values\":{\"step\":1}}\n";
    private static final String START = "{\"type\":\"run_started\",\"run_id\":\"r\",\"environment\":\"e\"}";

    @Override
    Server start() throws Exception {
        String url = startServer(Map.of("RLM_RECORD_TOKEN", TOKEN), "record", "--port", "0");
        Map<String, String> headers = Map.of("Authorization", "Bearer " + TOKEN, "Content-Type", "application/json");
        return new Server(URI.create(url + "/v1/events"), headers, METRICS);
    }

    @Override
    byte[] costlyBody(int size) {
        return "{}\n".repeat(size / 3).getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void longLinesAtOnce_areRecorded() throws Exception {
        Server server = start();
        String output = "\u4e2d\ud83d\ude00\\n\\u0001".repeat(50_000); // 0.8 MiB: the longest has 1
        List<CompletableFuture<String>> answers = IntStream.range(0, 8)
                .mapToObj(client -> CompletableFuture.supplyAsync(() -> recordRun(server, "r" + client, output)))
                .toList();

        assertThat(answers.stream().map(CompletableFuture::join))
                .allSatisfy(answer -> assertThat(answer.split("\"ok\":true,\"synced\":true", -1))
                        .hasSize(6));
    }

    private String recordRun(Server server, String id, String output) {
        String step = "{\"type\":\"step_ended\",\"output\":\"" + output + "\"}\n";
        String body = START.replace("\"r\"", "\"" + id + "\"") + "\n" + step.repeat(3) + "{\"type\":\"run_ended\"}\n";
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        try (Socket socket = new Socket(server.url().getHost(), server.url().getPort())) {
            send(socket, head(server, "Content-Length: " + bytes.length, "Connection: close"));
            socket.getOutputStream().write(bytes);
            return response(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void lineLongerThanTheHeapAllows_isRefused_andTheRestGoesOn() throws Exception {
        startVerb(Map.of(), "record");
        try (OutputStream in = rlm.process().getOutputStream()) {
            in.write((START + "\n{\"type\":\"step_ended\",\"output\":\"").getBytes(StandardCharsets.UTF_8));
            byte[] text = "a".repeat(1 << 20).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < 63; i++) {
                in.write(text);
            }
            in.write("\"}\n{\"type\":\"run_ended\"}\n".getBytes(StandardCharsets.UTF_8));
        }
        assertThat(rlm.process().waitFor()).as(rlm.err()).isEqualTo(1);
        assertThat(rlm.out().lines()).hasSize(3);
        assertThat(rlm.out().lines().toList().get(1))
                .isEqualTo("{\"line\":2,\"ok\":false,\"error\":\"the line is longer than 1 MiB\"}");
        assertThat(rlm.out().lines().toList().get(2)).startsWith("{\"line\":3,\"ok\":true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "{}", "{\"a\":1}", "[1.5]"})
    void lineOfManyValues_isRefused_andTheRestGoesOn(String value) throws Exception {
        startVerb(Map.of(), "record");
        String values = value + ("," + value).repeat((1 << 20) / (value.length() + 1) - 100);
        try (OutputStream in = rlm.process().getOutputStream()) {
            in.write((START + "\n{\"type\":\"step_ended\",\"output\":[" + values + "]}\n{\"type\":\"run_ended\"}\n")
                    .getBytes(StandardCharsets.UTF_8));
        }
        assertThat(rlm.process().waitFor()).as(rlm.err()).isEqualTo(1);
        assertThat(rlm.out().lines()).hasSize(3);
        assertThat(rlm.out().lines().toList().get(1)).contains("\"ok\":false", "the line holds too many values");
        assertThat(rlm.out().lines().toList().get(2)).startsWith("{\"line\":3,\"ok\":true");
    }

    @Test
    void runsThatAreNeverEnded_areRefusedInTheEnd_andEndingSomeMakesRoom() throws Exception {
        startVerb(Map.of(), "record", "--quiet");
        String task = "x".repeat(100_000);
        try (OutputStream in = rlm.process().getOutputStream()) {
            for (int i = 0; i < 1_000; i++) {
                in.write(("{\"type\":\"run_started\",\"run_id\":\"r" + i + "\",\"environment\":\"e\",\"task\":\"" + task
                                + "\"}\n")
                        .getBytes(StandardCharsets.UTF_8));
            }
            for (int i = 0; i < 10; i++) {
                in.write(("{\"type\":\"run_ended\",\"run_id\":\"r" + i + "\"}\n").getBytes(StandardCharsets.UTF_8));
            }
            in.write(START.getBytes(StandardCharsets.UTF_8));
        }
        assertThat(rlm.process().waitFor()).as(rlm.err()).isEqualTo(1);
        assertThat(rlm.out().lines())
                .hasSizeBetween(900, 990)
                .allMatch(line -> line.contains("too much is open: runs and steps that have not ended hold more than"));
    }

    @Test
    void runsThatEnded_areForgottenForTheirSize_andTheirIdsAreNot() throws Exception {
        startVerb(Map.of(), "record", "--quiet");
        String task = "x".repeat(100_000);
        String start = "{\"type\":\"run_started\",\"run_id\":\"%s\",\"environment\":\"e\",\"task\":\"" + task + "\"}\n";
        try (OutputStream in = rlm.process().getOutputStream()) {
            for (int i = 0; i < 1_000; i++) {
                in.write((start.formatted("r" + i) + "{\"type\":\"run_ended\"}\n").getBytes(StandardCharsets.UTF_8));
            }
            in.write(start.formatted("r0").getBytes(StandardCharsets.UTF_8));
        }
        assertThat(rlm.process().waitFor()).as(rlm.err()).isEqualTo(1);
        assertThat(rlm.out().lines()).singleElement().asString().contains("run \\\"r0\\\" has started already");
    }
}
