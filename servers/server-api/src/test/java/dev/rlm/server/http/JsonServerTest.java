package dev.rlm.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.cli.Token;
import dev.rlm.cli.UsageException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** A server that tells which job asks, and how many properties the object has that it was sent. */
@Timeout(60)
class JsonServerTest {
    private static final int MAX_BODY = 1 << 20;

    private final MemoryBudget memory = new MemoryBudget(16 << 20);
    private final Token all = Token.random();
    private final Map<String, Token> jobs = Map.of("one", Token.random(), "two", Token.random());
    private Access access = new Access(all, jobs, true);
    private final JsonServer server =
            new JsonServer("test", 8, Endpoint.local(0, null), why -> Map.of("error", why), this::answer);

    @AfterEach
    void stop() {
        server.close();
    }

    private void answer(Request request, Response response, Callback callback) throws IOException {
        access.checkHost(request);
        String job = access.job(request.getHeaders(), null);
        if (!request.getHttpURI().getPath().equals("/job")) {
            throw new RefusedException(404, "there is nothing here");
        } else if (request.getMethod().equals("PUT")) {
            throw RefusedException.allowing("POST");
        }
        try (MemoryBudget.Share share = memory.share()) {
            byte[] body = JsonServer.body(request, MAX_BODY, share, Duration.ofSeconds(30));
            int sent = body.length == 0 ? 0 : JsonServer.object(body, share).size();
            JsonServer.answer(response, 200, Map.of("job", job, "sent", sent), callback);
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> post(HttpRequest.BodyPublisher body) throws Exception {
        return send(request("/job").header("x-rlm-token", all.value()).POST(body));
    }

    @Test
    void token_tellsWhoAsks_inWhicheverHeader() throws Exception {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Authorization", "Bearer ");
        headers.put("x-rlm-token", "");
        headers.put("x-api-key", "");
        for (Map.Entry<String, String> header : headers.entrySet()) {
            for (Map.Entry<String, Token> job : Map.of("", all, "one", jobs.get("one"), "two", jobs.get("two"))
                    .entrySet()) {
                HttpResponse<String> answer = send(request("/job")
                        .header(
                                header.getKey(),
                                header.getValue() + job.getValue().value()));
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.body()).contains("\"job\":\"" + job.getKey() + "\"");
                assertThat(answer.headers().firstValue("content-type")).contains("application/json");
            }
        }
        HttpResponse<String> refused = send(request("/job")
                .header("Authorization", "Bearer " + Token.random().value()));
        assertThat(refused.statusCode()).isEqualTo(401);
        assertThat(refused.body()).startsWith("{\"error\":\"the header Authorization must be");
        assertThat(refused.headers().firstValue("WWW-Authenticate")).contains("Bearer");
    }

    @ParameterizedTest
    @CsvSource({
        "localhost,,401", "127.0.0.1:80,,401", "[::1]:80,,401", "LocalHost:1,http://localhost:3000,401",
        "example.org,,403", "127.0.0.1.example.org,,403", "localhost,http://example.org,403", "localhost,null,403"
    })
    void serverOfThisMachine_isAskedByItsOwnNames(String host, String origin, int status) throws Exception {
        String head = "GET /job HTTP/1.1\r\nHost: " + host + "\r\n"
                + (origin == null ? "" : "Origin: " + origin + "\r\n") + "Connection: close\r\n\r\n";
        assertThat(raw(head)).startsWith("HTTP/1.1 " + status + " ");
        access = new Access(all, jobs, false);
        assertThat(raw(head)).startsWith("HTTP/1.1 401 ");
    }

    private String raw(String request) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            OutputStream out = socket.getOutputStream();
            out.write(request.getBytes(StandardCharsets.ISO_8859_1));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void withoutTokens_everybodySeesAll() throws Exception {
        access = new Access(null, Map.of(), true);
        assertThat(send(request("/job")).body()).contains("\"job\":\"\"");
    }

    @Test
    void refusal_tellsWhatIsWrong() throws Exception {
        HttpResponse<String> missing = send(request("/other").header("x-rlm-token", all.value()));
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(missing.body()).isEqualTo("{\"error\":\"there is nothing here\"}");
        HttpResponse<String> put =
                send(request("/job").header("x-rlm-token", all.value()).PUT(BodyPublishers.ofString("{}")));
        assertThat(put.statusCode()).isEqualTo(405);
        assertThat(put.headers().firstValue("Allow")).contains("POST");
        HttpResponse<String> list = post(BodyPublishers.ofString("[1]"));
        assertThat(list.statusCode()).isEqualTo(400);
        assertThat(list.body()).startsWith("{\"error\":\"the body is no JSON object: ");
    }

    @Test
    void body_isReadWhole_andRefusedWhereItIsTooLong_withOrWithoutItsLength() throws Exception {
        byte[] most = ("{\"a\":1,\"b\":\"" + "x".repeat(MAX_BODY - 14) + "\"}").getBytes(StandardCharsets.UTF_8);
        byte[] more = new byte[MAX_BODY + 1];
        assertThat(post(BodyPublishers.ofByteArray(most)).body()).contains("\"sent\":2");
        assertThat(post(chunked(most)).body()).contains("\"sent\":2");
        assertThat(post(BodyPublishers.ofByteArray(more)).statusCode()).isEqualTo(413);
        HttpResponse<String> refused = post(chunked(more));
        assertThat(refused.statusCode()).isEqualTo(413);
        assertThat(refused.body()).isEqualTo("{\"error\":\"the body is longer than 1 MiB\"}");
    }

    private static HttpRequest.BodyPublisher chunked(byte[] body) {
        return BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body));
    }

    @Test
    void requestForWhichThereIsNoRoom_isToComeAgain() throws Exception {
        String body = "{\"a\":\"" + "x".repeat(1_000) + "\"}";
        try (MemoryBudget.Share others = memory.share()) {
            assertThat(others.take((16 << 20) - 1_000)).isTrue();
            HttpResponse<String> refused = post(BodyPublishers.ofString(body));
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).contains("1");
        }
        assertThat(post(BodyPublishers.ofString(body)).statusCode()).isEqualTo(200);
    }

    @Test
    void shareOfTheMemory_isGivenBack() {
        MemoryBudget budget = new MemoryBudget(100);
        try (MemoryBudget.Share one = budget.share();
                MemoryBudget.Share other = budget.share()) {
            assertThat(one.take(60)).isTrue();
            assertThat(other.take(41)).isFalse();
            assertThat(other.take(40)).isTrue();
            assertThat(other.wouldExceedHalf(10)).isFalse();
            assertThat(other.wouldExceedHalf(11)).isTrue();
            one.shrinkTo(50);
            assertThat(one.size()).isEqualTo(50);
            assertThat(other.take(10)).isTrue();
        }
        assertThat(budget.share().take(100)).isTrue();
    }

    @Test
    void portThatIsTaken_isSaidSo() {
        assertThatThrownBy(
                        () -> new JsonServer("next", 8, Endpoint.local(server.port(), null), why -> why, this::answer))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("--port=" + server.port() + " cannot be had: ")
                .hasMessageEndingWith("; 0 takes a free one");
        assertThat(Endpoint.local(1, null).url(7)).isEqualTo("http://127.0.0.1:7");
    }

    @Test
    void filesOfTls_belongTogether(@TempDir Path folder) throws Exception {
        Path text = Files.writeString(folder.resolve("text"), "no PEM");
        assertThatThrownBy(() -> tls("--tls-cert=" + text)).hasMessageContaining("--tls-key is missing");
        assertThatThrownBy(() -> tls("--tls-key=" + text)).hasMessageContaining("--tls-cert is missing");
        assertThatThrownBy(() -> tls("--tls-cert=" + text, "--tls-key=" + text))
                .hasMessageContaining("expected certificates in PEM");
        assertThatThrownBy(() -> tls("--tls-cert=" + folder.resolve("none"), "--tls-key=" + text))
                .hasMessageContaining("cannot be read");
        assertThatCode(() -> assertThat(tls()).isNull()).doesNotThrowAnyException();
    }

    private static @Nullable Tls tls(String... options) {
        TlsOptions tls = new TlsOptions();
        new CommandLine(CommandSpec.forAnnotatedObject(tls)).parseArgs(options);
        return tls.tls();
    }
}
