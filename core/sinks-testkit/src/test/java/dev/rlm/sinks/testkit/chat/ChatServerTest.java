package dev.rlm.sinks.testkit.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rlm.sinks.testkit.fault.Gate;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ChatServerTest {
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private ChatServer server;

    @BeforeEach
    void start() throws IOException {
        server = ChatServer.start();
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    @Test
    void answers_comeInOrder_andThenFromTheFunction() throws Exception {
        server.answer(ChatAnswer.refusal(429, "\"slow\"").header("Retry-After", "1"))
                .answers(request -> ChatAnswer.text(request.body()));

        HttpResponse<String> refusal = post("{}");
        assertThat(refusal.statusCode()).isEqualTo(429);
        assertThat(refusal.headers().firstValue("retry-after")).hasValue("1");
        assertThat(refusal.body()).contains("\"message\":\"\\\"slow\\\"\"");
        assertThat(post("hello").body()).contains("\"content\":\"hello\"", "\"finish_reason\":\"stop\"");
        assertThat(server.requests()).extracting(ChatRequest::body).containsExactly("{}", "hello");
        assertThat(server.requests()).extracting(ChatRequest::path).containsOnly("/v1/chat/completions");
    }

    @Test
    void listOfModels_isAnsweredApart() throws Exception {
        server.answer(ChatAnswer.text("first"));
        HttpRequest models =
                HttpRequest.newBuilder(URI.create(server.baseUrl() + "/models")).build();

        assertThat(client.send(models, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(404);
        server.models(ChatAnswer.raw(200, "application/json", "{\"data\":[]}"));
        assertThat(client.send(models, HttpResponse.BodyHandlers.ofString()).body())
                .isEqualTo("{\"data\":[]}");
        assertThat(server.requests()).isEmpty();
        assertThat(post("{}").body()).contains("first");
    }

    @Test
    void stream_comesInPieces() throws Exception {
        server.answer(
                ChatAnswer.text("abc").tool("1", "add", "{\"a\":1}").usage(3, 2).pieces(2));

        String body = post("{\"stream\": true}").body();

        assertThat(body.lines().filter(line -> !line.isEmpty()))
                .hasSize(11)
                .allMatch(line -> line.startsWith("data: "));
        assertThat(body)
                .contains(
                        "{\"content\":\"ab\"}", "{\"content\":\"c\"}", "\"arguments\":\"{\\\"\"", "\"prompt_tokens\":3")
                .endsWith("data: [DONE]\n\n");
    }

    @Test
    void requestInChunks_isRead() throws Exception {
        server.answer(ChatAnswer.text("yes"));
        byte[] body = "in chunks".getBytes(StandardCharsets.UTF_8);

        client.send(
                request(HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))),
                HttpResponse.BodyHandlers.ofString());

        assertThat(server.requests()).extracting(ChatRequest::body).containsExactly("in chunks");
    }

    @Test
    void cut_isSeenByTheClient() {
        server.answer(ChatAnswer.text("abcdef").pieces(2).cutAfter(1));

        assertThatThrownBy(() -> post("{\"stream\":true}")).isInstanceOf(IOException.class);
    }

    @Test
    void clientThatGoes_isSeen() {
        Gate gate = new Gate();
        server.answer(ChatAnswer.text("late").stallEarly(gate));
        CompletableFuture<HttpResponse<String>> sent = client.sendAsync(
                request(HttpRequest.BodyPublishers.ofString("{}")), HttpResponse.BodyHandlers.ofString());
        await().atMost(Duration.ofSeconds(20)).until(() -> server.answering() == 1);

        sent.cancel(true);

        await().atMost(Duration.ofSeconds(20)).until(() -> server.abandoned() == 1);
        assertThat(server.answering()).isZero();
        gate.open();
    }

    private HttpResponse<String> post(String body) throws IOException, InterruptedException {
        return client.send(request(HttpRequest.BodyPublishers.ofString(body)), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest request(HttpRequest.BodyPublisher body) {
        return HttpRequest.newBuilder(URI.create(server.baseUrl() + "/chat/completions"))
                .POST(body)
                .build();
    }
}
