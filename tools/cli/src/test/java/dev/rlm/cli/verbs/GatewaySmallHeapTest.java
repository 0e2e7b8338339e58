package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.ScriptedUpstream;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.ModelCalled;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code rlm gateway} in a small heap. */
@Tag("thorough")
class GatewaySmallHeapTest extends SmallHeapContract {
    private final ScriptedUpstream upstream;

    GatewaySmallHeapTest() throws IOException {
        upstream = new ScriptedUpstream(ScriptedUpstream.json("{\"choices\":[]}"));
    }

    @AfterEach
    void stop() throws IOException {
        upstream.close();
    }

    @Override
    Server start() throws Exception {
        String url = startServer(Map.of(), "gateway", "--port", "0", "--upstream", upstream.url());
        Map<String, String> headers = Map.of("Content-Type", "application/json");
        return new Server(
                URI.create(url + "/rollout_id/r/chat/completions"), headers, "{\"model\":\"m\",\"messages\":[]}");
    }

    @Override
    byte[] costlyBody(int size) {
        return ("{\"model\":\"m\",\"messages\":[" + "{},".repeat(size / 3) + "{}]}").getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void streamsWithProbabilities_areWhole_andRecorded() throws Exception {
        int tokens = 800;
        int streams = 12;
        String others = IntStream.range(0, 20)
                .mapToObj(i -> "{\"token\":\"tok" + i + "\",\"logprob\":-0.12345,\"bytes\":[116,111,107]}")
                .collect(Collectors.joining(","));
        String event =
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"},\"logprobs\":{\"content\":[{\"token\":\"word \","
                        + "\"logprob\":-0.25,\"bytes\":[119,111],\"top_logprobs\":[" + others + "]}]}}]}\n\n";
        upstream.script(ScriptedUpstream.events(
                Stream.concat(Collections.nCopies(tokens, event).stream(), Stream.of("data: [DONE]\n\n"))
                        .toList()));
        Server server = start();
        List<CompletableFuture<String>> replies = IntStream.range(0, streams)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> ask(server)))
                .toList();
        assertThat(replies).allSatisfy(reply -> assertThat(reply.join()).endsWith("data: [DONE]\n\n"));

        assertThat(calls()).hasSize(streams).allSatisfy(call -> {
            assertThat(call.error()).isNull();
            assertThat(Objects.requireNonNull(call.tokens()).logProbabilities()).hasSize(tokens);
        });
    }

    @Test
    void eventOfVeryManyValues_isPassedOn_andNotRecorded() throws Exception {
        String event = "data: {\"choices\":[],\"x\":[" + "{},".repeat(1 << 20) + "{}]}\n\n";
        upstream.script(ScriptedUpstream.events(List.of(event, "data: [DONE]\n\n")));
        Server server = start();
        assertThat(ask(server)).hasSize(event.length() + 14);

        assertThat(calls())
                .singleElement()
                .satisfies(call -> assertThat(call.error()).asString().contains("holds too many values"));
        upstream.script(ScriptedUpstream.json("{\"choices\":[]}"));
        assertAnswers(server);
    }

    @Test
    void callsForWhichMemoryHasNoRoom_areToldFromTheJournal() throws Exception {
        String text = "word ".repeat(100_000);
        upstream.script(
                ScriptedUpstream.json(
                        "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"12\"},\"finish_reason\":\"stop\"}]}"));
        Server server = start();
        String body = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"How many?\"},"
                + "{\"role\":\"user\",\"content\":\"" + text + "\"}]}";
        for (int i = 0; i < 200; i++) { // of which the heap holds less than half
            URI url = URI.create(server.url().toString().replace("/r/", "/r-" + i + "/"));
            assertThat(ask(new Server(url, server.headers(), body))).contains("12");
        }

        HttpResponse<String> traces = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(server.url().resolve("/v1/traces/pointwise?tags=rollout_id:r-0"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(traces.body()).contains("\"total_traces\":1").contains(text);
    }

    private static String ask(Server server) {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.url());
        server.headers().forEach(request::header);
        return HttpClient.newHttpClient()
                .sendAsync(
                        request.POST(HttpRequest.BodyPublishers.ofString(server.body()))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .join()
                .body();
    }

    private List<ModelCalled> calls() {
        Journal journal = Journal.open(folder.resolve(".rlm"));
        List<ModelCalled> calls = new ArrayList<>();
        journal.read(
                journal.runs(),
                (run, events) -> events.stream()
                        .filter(ModelCalled.class::isInstance)
                        .forEach(event -> calls.add((ModelCalled) event)));
        return calls;
    }
}
