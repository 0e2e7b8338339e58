package dev.rlm.gateway;

import static dev.rlm.cli.testkit.ScriptedUpstream.events;
import static dev.rlm.cli.testkit.ScriptedUpstream.json;
import static dev.rlm.cli.testkit.ScriptedUpstream.reply;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.ScriptedUpstream;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.ToolCalled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that {@code rlm gateway} forwards, against going to the model directly. */
class ForwardedCallTest {
    private static final String ASK =
            "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"What is 3*4?\"}]}";
    private static final String ANSWER = "{\"id\":\"c-1\",\"model\":\"m-2\",\"choices\":[{\"index\":0,\"message\":"
            + "{\"role\":\"assistant\",\"content\":\"#### 12\"},\"finish_reason\":\"stop\"}],"
            + "\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,\"cost\":0.0125}}";
    private static final String PATH = "/rollout_id/r/chat/completions";
    private static final List<String> STREAM = List.of(
            "data: {\"id\":\"c-1\",\"model\":\"m-2\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"#### \"}}]}\r\n\r\n",
            ": a comment\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"12\"}}]}\n\n",
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,\"cost\":0.0125}}\n\n",
            "data: [DONE]\n\n");

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private ScriptedUpstream upstream;

    @SuppressWarnings("NullAway.Init") // set by start()
    private RunningGateway gateway;

    @BeforeEach
    void startUpstream() throws IOException {
        upstream = new ScriptedUpstream(json(ANSWER));
    }

    @AfterEach
    void stop() throws Exception {
        upstream.close();
        gateway.close();
    }

    private void start(String... more) throws Exception {
        start(Map.of(), more);
    }

    private void start(Map<String, String> variables, String... more) throws Exception {
        List<String> options = new ArrayList<>(List.of("--upstream", upstream.url()));
        options.addAll(List.of(more));
        gateway = RunningGateway.start(folder, variables, options.toArray(String[]::new));
    }

    // ---- bytes

    static Stream<ScriptedUpstream.Script> replies() throws IOException {
        byte[] large = ANSWER.replace("#### 12", "x".repeat(20 << 20)).getBytes(StandardCharsets.UTF_8);
        return Stream.of(
                json(ANSWER),
                events(STREAM),
                events(List.of(String.join("", STREAM))),
                events(List.of("data: no JSON\n\n", "data: {\"choices\":", "[]}\n")),
                reply("200 OK", "Content-Type: application/json\r\nContent-Encoding: gzip\r\n", gzip(ANSWER)),
                reply(
                        "429 Too Many Requests",
                        "Content-Type: application/json\r\nRetry-After: 7\r\nX-Limit: 1\r\n",
                        "{\"error\":{\"message\":\"slow down\"}}".getBytes(StandardCharsets.UTF_8)),
                reply("200 OK", "Content-Type: application/json\r\n", large),
                reply("307 Temporary Redirect", "Location: http://127.0.0.1:1/elsewhere\r\n", new byte[0]),
                reply("200 OK", "Content-Type: application/octet-stream\r\n", new byte[] {0, -1, 13, 10}),
                (request, out) -> {
                    ScriptedUpstream.begin(out);
                    ScriptedUpstream.chunk(out, String.join("", STREAM));
                    out.write("0\r\nX-Served-In: 3 ms\r\n\r\n".getBytes(StandardCharsets.UTF_8));
                },
                // less than was announced
                (request, out) ->
                        out.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nabc".getBytes(StandardCharsets.UTF_8)),
                (request, out) -> {
                    ScriptedUpstream.begin(out);
                    ScriptedUpstream.chunk(out, STREAM.get(0));
                    ScriptedUpstream.chunk(out, STREAM.get(1));
                });
    }

    static Stream<ScriptedUpstream.Script> wholeReplies() {
        byte[] withoutLast =
                String.join("", STREAM.subList(0, STREAM.size() - 1)).getBytes(StandardCharsets.UTF_8);
        return Stream.of(
                json(ANSWER),
                reply("200 OK", "", new byte[0]),
                reply("204 No Content", "", new byte[0]),
                reply("200 OK", "Content-Type: text/event-stream\r\n", withoutLast),
                events(STREAM),
                events(STREAM.subList(0, STREAM.size() - 1)));
    }

    @ParameterizedTest
    @MethodSource("wholeReplies")
    void replyThatAClientHasWhole_isInTheJournal(ScriptedUpstream.Script script) throws Exception {
        start();
        upstream.script(script);
        for (int call = 1; call <= 20; call++) {
            gateway.post(PATH, ASK);
            assertThat(gateway.calls("r")).hasSize(call);
        }
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    @Tag("thorough")
    @Test
    void replies_areTheSameBytes() throws Exception {
        start();
        for (ScriptedUpstream.Script script : replies().toList()) {
            upstream.script(script);
            Reply direct = ask(upstream.port(), "/v1/chat/completions");
            Reply forwarded = ask(gateway.port(), PATH);
            assertThat(forwarded.status()).isEqualTo(direct.status());
            assertThat(forwarded.headers()).containsExactlyInAnyOrderElementsOf(direct.headers());
            assertThat(forwarded.whole()).isEqualTo(direct.whole());
            assertThat(forwarded.body()).isEqualTo(direct.body());
        }
    }

    @Test
    void headersOfTheConnection_areNotSentOn() throws Exception {
        start();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            socket.setSoTimeout((int) RunningGateway.PATIENCE.toMillis());
            socket.getOutputStream()
                    .write(("POST " + PATH + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                                    + "Connection: close, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nX-Kept: 2\r\nContent-Length: "
                                    + ASK.length() + "\r\n\r\n" + ASK)
                            .getBytes(StandardCharsets.UTF_8));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 200 ");
        }
        assertThat(upstream.requests().get(0).head().toLowerCase(Locale.ROOT))
                .contains("x-kept: 2")
                .doesNotContain("x-hop", "keep-alive: 5");
    }

    /** A reply as it came: its body without chunks. */
    @SuppressWarnings("ArrayRecordComponent") // it is not compared
    private record Reply(String status, List<String> headers, byte[] body, boolean whole) {}

    private static Reply ask(int port, String path) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) RunningGateway.PATIENCE.toMillis());
            socket.getOutputStream()
                    .write(("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                                    + "Accept-Encoding: gzip\r\nContent-Length: " + ASK.length() + "\r\n\r\n" + ASK)
                            .getBytes(StandardCharsets.UTF_8));
            InputStream in = socket.getInputStream();
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                head.append((char) in.read());
            }
            List<String> lines =
                    head.toString().lines().filter(line -> !line.isEmpty()).toList();
            List<String> headers = lines.stream()
                    .skip(1)
                    .filter(line -> !line.startsWith("Connection:"))
                    .toList();
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            boolean whole = headers.contains("Transfer-Encoding: chunked") ? chunks(in, body) : rest(in, headers, body);
            return new Reply(lines.get(0), headers, body.toByteArray(), whole);
        }
    }

    private static boolean rest(InputStream in, List<String> headers, ByteArrayOutputStream body) throws IOException {
        int length = headers.stream()
                .filter(line -> line.startsWith("Content-Length: "))
                .mapToInt(line -> Integer.parseInt(line.substring(16)))
                .findFirst()
                .orElseThrow();
        body.write(in.readNBytes(length));
        return body.size() == length;
    }

    private static boolean chunks(InputStream in, ByteArrayOutputStream body) throws IOException {
        while (true) {
            StringBuilder size = new StringBuilder();
            while (size.indexOf("\r\n") < 0) {
                int each = in.read();
                if (each < 0) {
                    return false;
                }
                size.append((char) each);
            }
            int length = Integer.parseInt(size.toString().strip(), 16);
            body.write(in.readNBytes(length));
            in.readNBytes(2);
            if (length == 0) {
                return true;
            }
        }
    }

    @Test
    void events_arePassedOnAsTheyCome() throws Exception {
        start();
        CountDownLatch goOn = new CountDownLatch(1);
        upstream.script((request, out) -> {
            ScriptedUpstream.begin(out);
            ScriptedUpstream.chunk(out, STREAM.get(1));
            goOn.await();
            ScriptedUpstream.chunk(out, STREAM.get(5));
            out.write("0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        });
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            socket.setSoTimeout((int) RunningGateway.PATIENCE.toMillis());
            socket.getOutputStream()
                    .write(("POST " + PATH + " HTTP/1.0\r\nHost: localhost\r\nContent-Length: " + ASK.length()
                                    + "\r\n\r\n" + ASK)
                            .getBytes(StandardCharsets.UTF_8));
            StringBuilder come = new StringBuilder();
            while (come.indexOf("#### ") < 0) {
                come.append((char) socket.getInputStream().read());
            }
            assertThat(come).doesNotContain("DONE");
            goOn.countDown();
            assertThat(socket.getInputStream().readAllBytes())
                    .asString(StandardCharsets.UTF_8)
                    .endsWith("data: [DONE]\n\n");
        }
    }

    @Test
    void request_isTheSame_butForTheAddress() throws Exception {
        start("--allow-upstream", "http://127.0.0.1:*");
        String base =
                Base64.getUrlEncoder().encodeToString((upstream.url() + "/deep").getBytes(StandardCharsets.UTF_8));
        gateway.post(
                "/rollout_id/r/encoded_base_url/" + base + "/chat/completions?a=%20b",
                ASK,
                "Authorization",
                "Bearer key",
                "X-Own",
                "1");

        ScriptedUpstream.Request request = upstream.requests().get(0);
        assertThat(request.head())
                .startsWith("POST /v1/deep/chat/completions?a=%20b HTTP/1.1\r\n")
                .containsIgnoringCase("authorization: Bearer key")
                .containsIgnoringCase("x-own: 1");
        assertThat(request.body()).isEqualTo(ASK);
    }

    @Test
    void otherPaths_arePassedThrough_unrecorded() throws Exception {
        start();
        upstream.script(json("{\"data\":[]}"));
        assertThat(gateway.get("/rollout_id/r/v1/models").body()).isEqualTo("{\"data\":[]}");
        assertThat(gateway.post("/v1/embeddings", "{\"model\":\"m\"}").statusCode())
                .isEqualTo(200);
        assertThat(upstream.requests())
                .extracting(each -> each.head().lines().findFirst().orElse(""))
                .containsExactly("GET /v1/models HTTP/1.1", "POST /v1/embeddings HTTP/1.1");
        assertThat(gateway.runs()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/../admin",
                "/v1/%2e%2e/admin",
                "/v1/.%2E/admin",
                "/v1/x/..%2f..%2fadmin",
                "/v1/..%5c..%5cadmin",
                "/v1/..\\..\\admin",
                "/v1/a\\b",
                "/rollout_id/r/v1/chat/../../admin",
            })
    void pathThatLeadsOut_isRefused_andGoesNowhere(String path) throws Exception {
        start(Map.of("MODEL_KEY", "of-the-operator"), "--upstream-key-env", "MODEL_KEY");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            socket.getOutputStream()
                    .write(("POST " + path
                                    + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
                            .getBytes(StandardCharsets.UTF_8));
            assertThat(socket.getInputStream().readAllBytes())
                    .asString(StandardCharsets.UTF_8)
                    .startsWith("HTTP/1.1 400 ");
        }
        assertThat(upstream.requests()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/chat/completions/",
                "/v1/./chat/completions",
                "/v1/%2e/chat/completions",
                "/v1//chat/completions",
                "/v1/chat/%63ompletions",
                "/v1/chat%2Fcompletions",
            })
    void callIsRecorded_howeverItsPathIsWritten(String path) throws Exception {
        start();
        assertThat(gateway.post("/rollout_id/r" + path, ASK).body()).isEqualTo(ANSWER);

        assertThat(upstream.requests()).hasSize(1);
        assertThat(gateway.calls("r")).hasSize(1).allSatisfy(ForwardedCallTest::assertAnswered);
    }

    // ---- keys

    @ParameterizedTest
    @ValueSource(strings = {"Authorization", "x-api-key", "api-key", "x-goog-api-key"})
    void key_thatIsSaidAgain_isRecordedNowhere(String header) throws Exception {
        String key = "correct-horse-of-the-client";
        String tool = "{\"id\":\"call-" + key + "\",\"function\":{\"name\":\"send\",\"arguments\":\"{\\\"to\\\":\\\""
                + key + "\\\"}\"}}";
        start();
        upstream.script(json("{\"id\":\"" + key
                + "\",\"model\":\"m-2\",\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"it is " + key
                + "\",\"tool_calls\":[" + tool + "]},\"finish_reason\":\"tool_calls\"}]}"));
        String value = header.equals("Authorization") ? "Bearer " + key : key;
        assertThat(gateway.post("/rollout_id/r/v1/chat/completions", ASK.replace("What is", "Is " + key), header, value)
                        .body())
                .contains("it is " + key);
        upstream.script(reply(
                "401 Unauthorized",
                "Content-Type: application/json\r\n",
                ("no such key " + key).getBytes(StandardCharsets.UTF_8)));
        gateway.post("/rollout_id/r/v1/chat/completions", ASK, header, value);

        assertThat(gateway.calls("r")).hasSize(2).asString().contains("it is [key]", "no such key [key]");
        assertThat(gateway.events("r").toString()).doesNotContain(key);
    }

    @Test
    void key_thatStandsInAnId_isRefused() throws Exception {
        String key = "correct-horse-of-the-client";
        start();
        HttpResponse<String> refused =
                gateway.post("/rollout_id/r-" + key + "/v1/chat/completions", ASK, "Authorization", "Bearer " + key);

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("an id holds a key of this request").doesNotContain(key);
        assertThat(gateway.runs()).isEmpty();
        assertThat(upstream.requests()).isEmpty();
    }

    @Test
    void token_ofTheGateway_goesOnInNoHeader() throws Exception {
        String token = "token-of-this-gateway-0123456789";
        start(Map.of("RLM_GATEWAY_TOKEN", token));
        assertThat(gateway.post(
                                "/v1/chat/completions",
                                ASK,
                                "X-Rlm-Token",
                                token,
                                "api-key",
                                token,
                                "X-Own",
                                "Bearer " + token)
                        .statusCode())
                .isEqualTo(200);
        assertThat(upstream.requests().get(0).head()).doesNotContain(token);
    }

    // ---- records

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/rollout_id/r%2F%C3%BC/invocation_id/i/experiment_id/e/run_id/u/row_id/a%20b/chat/completions",
                "//project_id/p//litellm-gateway/row_id/a%20b/run_id/u/rollout_id/r%2F%C3%BC/experiment_id/e/invocation_id/i/v1/chat/completions",
            })
    void call_isRecorded_withTheIdsOfItsPath(String path) throws Exception {
        start();
        assertThat(gateway.post(path, ASK).body()).isEqualTo(ANSWER);

        ModelCalled call = gateway.calls("r/ü").get(0);
        assertThat(call.run().correlation())
                .extracting(
                        Correlation::invocation,
                        Correlation::experiment,
                        Correlation::trainerRun,
                        Correlation::row,
                        Correlation::attempt)
                .containsExactly("i", "e", "u", "a b", 1);
        assertThat(call.run().task().text()).isEqualTo("What is 3*4?");
        assertAnswered(call);
    }

    private static void assertAnswered(ModelCalled call) {
        assertThat(call.error()).isNull();
        assertThat(call.messages())
                .hasSize(1)
                .first()
                .extracting(each -> each.content().text())
                .isEqualTo("What is 3*4?");
        assertThat(call.reply())
                .isNotNull()
                .extracting(each -> each.content().text())
                .isEqualTo("#### 12");
        assertThat(call.usage().inputTokens()).isEqualTo(10);
        assertThat(call.usage().outputTokens()).isEqualTo(5);
        assertThat(call.costAmount()).isEqualTo(0.0125);
        assertThat(call.costCurrency()).isEqualTo("USD");
        assertThat(call.responseModel()).isEqualTo("m-2");
    }

    @Test
    void ids_mayStandInHeaders_orInTheNameOfAKey() throws Exception {
        start();
        String parent = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01";
        gateway.post(
                "/v1/chat/completions",
                ASK,
                "x-rlm-rollout-id",
                "by-header",
                "x-rlm-run-id",
                "u",
                "traceparent",
                parent);
        gateway.post("/v1/chat/completions", ASK, "Authorization", "Bearer rlm:rollout_id=by%20key&row_id=7");

        ModelCalled first = gateway.calls("by-header").get(0);
        assertThat(first.run().correlation().trainerRun()).isEqualTo("u");
        assertThat(first.run().parent())
                .isNotNull()
                .extracting(each -> each.traceparent())
                .isEqualTo(parent);
        assertThat(gateway.calls("by key")).hasSize(1);
        assertThat(upstream.requests().get(1).head()).doesNotContainIgnoringCase("authorization");
    }

    @Test
    void streamedCall_isPutTogether_alsoWhereItIsCompressed() throws Exception {
        start();
        upstream.script(events(STREAM));
        gateway.post(PATH, ASK);
        upstream.script(reply(
                "200 OK",
                "Content-Type: text/event-stream\r\nContent-Encoding: gzip\r\n",
                gzip(String.join("", STREAM))));
        ask(gateway.port(), PATH);

        assertThat(gateway.calls("r")).hasSize(2).allSatisfy(call -> {
            assertAnswered(call);
            assertThat(call.finishReason()).isEqualTo("stop");
            assertThat(call.firstTokenNanos()).isNotNull();
        });
    }

    @Test
    void toolCall_endsWithTheRequestThatTellsItsResult() throws Exception {
        start();
        upstream.script(events(List.of(
                "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"t-1\",\"function\":{\"name\":\"multiply\",\"arguments\":\"\"}}]}}]}\n\n",
                "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\":3}\"}}]}}]}\n\n",
                "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")));
        gateway.post(PATH, ASK);
        upstream.script(json(ANSWER));
        gateway.post(
                PATH,
                "{\"model\":\"m\",\"messages\":[{\"role\":\"tool\",\"tool_call_id\":\"t-1\",\"content\":\"12\"}]}");

        ToolCalled tool = gateway.events("r").stream()
                .filter(ToolCalled.class::isInstance)
                .map(ToolCalled.class::cast)
                .findFirst()
                .orElseThrow();
        assertThat(tool.tool()).isEqualTo("multiply");
        assertThat(tool.arguments().text()).isEqualTo("{\"a\":3}");
        assertThat(tool.result()).isNotNull().extracting(each -> each.text()).isEqualTo("12");
        assertThat(tool.step()).isEqualTo(1);
    }

    @Test
    void tokens_areAskedFor_andKept() throws Exception {
        start("--token-ids");
        upstream.script(json(
                "{\"prompt_token_ids\":[1,2],\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"12\"},"
                        + "\"token_ids\":[7],\"logprobs\":{\"content\":[{\"token\":\"12\",\"logprob\":-0.5}]}}]}"));
        gateway.post(PATH, ASK);

        assertThat(upstream.requests().get(0).body()).contains("\"return_token_ids\":true", "\"logprobs\":true");
        TokenTrace tokens = Objects.requireNonNull(gateway.calls("r").get(0).tokens());
        assertThat(tokens.promptIds()).containsExactly(1, 2);
        assertThat(tokens.responseIds()).containsExactly(7);
        assertThat(tokens.logProbabilities()).containsExactly(-0.5);
        assertThat(tokens.responseTexts()).containsExactly("12");
    }

    @SuppressWarnings("StringConcatToTextBlock") // an event ends with an empty line
    static Stream<List<String>> otherApis() {
        return Stream.of(
                List.of(
                        "responses",
                        "{\"model\":\"m\",\"instructions\":\"be short\",\"input\":\"What is 3*4?\",\"stream\":true}",
                        "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"#### 12\"}\n\n",
                        "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"c-1\",\"model\":\"m-2\",\"status\":\"completed\","
                                + "\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"#### 12\"}]},"
                                + "{\"type\":\"function_call\",\"call_id\":\"t-1\",\"name\":\"submit\",\"arguments\":\"{\\\"a\\\":12}\"}],"
                                + "\"usage\":{\"input_tokens\":10,\"output_tokens\":5,\"cost\":0.0125}}}\n\n"),
                List.of(
                        "messages",
                        "{\"model\":\"m\",\"system\":\"be short\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"What is 3*4?\"}]}],\"stream\":true}",
                        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"c-1\",\"model\":\"m-2\",\"content\":[],\"usage\":{\"input_tokens\":8,\"cache_read_input_tokens\":2}}}\n\n"
                                + "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
                                + "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"#### 12\"}}\n\n"
                                + "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t-1\",\"name\":\"submit\",\"input\":{}}}\n\n"
                                + "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":12}\"}}\n\n",
                        "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":5,\"cost\":0.0125}}\n\n"
                                + "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"));
    }

    @ParameterizedTest
    @MethodSource
    void otherApis(List<String> call) throws Exception {
        start();
        upstream.script(events(call.subList(2, 4)));
        HttpResponse<String> response = gateway.post("/rollout_id/r/v1/" + call.get(0), call.get(1));

        assertThat(response.body()).isEqualTo(call.get(2) + call.get(3));
        ModelCalled recorded = gateway.calls("r").get(0);
        assertThat(recorded.messages())
                .extracting(each -> each.role() + ": " + each.content().text())
                .containsExactly("system: be short", "user: What is 3*4?");
        Message reply = Objects.requireNonNull(recorded.reply());
        assertThat(reply.content().text()).isEqualTo("#### 12");
        assertThat(reply.toolCalls()).hasSize(1).first().satisfies(tool -> {
            assertThat(tool.id()).isEqualTo("t-1");
            assertThat(tool.tool()).isEqualTo("submit");
            assertThat(tool.arguments().text()).isEqualTo("{\"a\":12}");
        });
        assertThat(recorded.usage().inputTokens()).isEqualTo(10);
        assertThat(recorded.usage().outputTokens()).isEqualTo(5);
        assertThat(recorded.costAmount()).isEqualTo(0.0125);
        assertThat(recorded.responseId()).isEqualTo("c-1");
    }

    @Test
    void brokenStream_isRecordedAsFarAsItCame() throws Exception {
        start();
        upstream.script((request, out) -> {
            ScriptedUpstream.begin(out);
            ScriptedUpstream.chunk(out, STREAM.get(1));
        });
        assertThat(ask(gateway.port(), PATH).whole()).isFalse();

        ModelCalled call = gateway.calls("r").get(0);
        assertThat(call.reply())
                .isNotNull()
                .extracting(each -> each.content().text())
                .isEqualTo("#### ");
        assertThat(call.error())
                .isNotNull()
                .extracting(each -> each.text())
                .asString()
                .startsWith("the reply broke off");
    }

    @Test
    void callThatFails_isRecordedAsSuch() throws Exception {
        start();
        upstream.script(reply(
                "400 Bad Request",
                "",
                "{\"error\":{\"message\":\"the model is broken\"}}".getBytes(StandardCharsets.UTF_8)));
        assertThat(gateway.post(PATH, ASK).statusCode()).isEqualTo(400);
        upstream.close();
        assertThat(gateway.post(PATH, ASK).statusCode()).isEqualTo(502);

        assertThat(gateway.calls("r"))
                .extracting(call -> String.valueOf(call.error()).length())
                .hasSize(2);
        assertThat(gateway.calls("r").get(0).error())
                .isNotNull()
                .extracting(each -> each.text())
                .asString()
                .contains("HTTP 400", "the model is broken");
    }

    @Tag("thorough")
    @Test
    void upstreamThatFallsSilent_isGivenUp() throws Exception {
        start("--upstream-timeout", "1s");
        CountDownLatch over = new CountDownLatch(1);
        upstream.script((request, out) -> over.await());
        assertThat(gateway.post(PATH, ASK).statusCode()).isEqualTo(504);
        upstream.script((request, out) -> {
            ScriptedUpstream.begin(out);
            ScriptedUpstream.chunk(out, STREAM.get(1));
            over.await();
        });
        assertThat(ask(gateway.port(), PATH).whole()).isFalse();
        over.countDown();

        assertThat(gateway.calls("r")).hasSize(2).allMatch(call -> call.error() != null);
        assertThat(gateway.calls("r").get(1).reply())
                .isNotNull()
                .extracting(each -> each.content().text())
                .isEqualTo("#### ");
    }

    @Test
    void clientThatLeaves_isRecorded() throws Exception {
        start();
        CountDownLatch left = new CountDownLatch(1);
        upstream.script((request, out) -> {
            ScriptedUpstream.begin(out);
            for (int i = 0; i < 100_000 && left.getCount() > 0; i++) {
                ScriptedUpstream.chunk(out, STREAM.get(1));
                var unused = left.await(1, TimeUnit.MILLISECONDS);
            }
        });
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            socket.setSoLinger(true, 0);
            socket.getOutputStream()
                    .write(("POST " + PATH + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + ASK.length()
                                    + "\r\n\r\n" + ASK)
                            .getBytes(StandardCharsets.UTF_8));
            assertThat(socket.getInputStream().read()).isPositive();
        }
        await().atMost(RunningGateway.PATIENCE).until(() -> !gateway.calls("r").isEmpty());
        left.countDown();
        assertThat(gateway.calls("r").get(0).error())
                .isNotNull()
                .extracting(each -> each.text())
                .isEqualTo("the client left before the end of the reply");
    }

    // ---- bounds

    @Test
    void callsBeyondTheBound_areToldToTryAgain() throws Exception {
        start("--max-calls", "1");
        CountDownLatch goOn = new CountDownLatch(1);
        upstream.script((request, out) -> {
            goOn.await();
            json(ANSWER).answer(request, out);
        });
        CompletableFuture<HttpResponse<String>> first = CompletableFuture.supplyAsync(() -> posted(PATH));
        await().atMost(RunningGateway.PATIENCE).until(() -> upstream.requests().size() == 1);
        HttpResponse<String> second = gateway.post(PATH, ASK);
        goOn.countDown();

        assertThat(second.statusCode()).isEqualTo(503);
        assertThat(second.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(first.join().statusCode()).isEqualTo(200);
    }

    private HttpResponse<String> posted(String path) {
        try {
            return gateway.post(path, ASK);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void bodyThatIsTooLong_isRefused() throws Exception {
        start("--max-body", "1");
        assertThat(gateway.post(PATH, ASK + " ".repeat(1 << 20)).statusCode()).isEqualTo(413);
        assertThat(upstream.requests()).isEmpty();
    }

    @Tag("thorough")
    @Test
    void manyStreamsAtOnce_areAllPassedOn() throws Exception {
        start();
        int streams = 500;
        CountDownLatch all = new CountDownLatch(streams);
        upstream.script((request, out) -> {
            ScriptedUpstream.begin(out);
            all.countDown();
            all.await();
            for (String event : STREAM) {
                ScriptedUpstream.chunk(out, event);
            }
            out.write("0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        });
        List<CompletableFuture<HttpResponse<String>>> replies = IntStream.range(0, streams)
                .mapToObj(i -> gateway.client()
                        .sendAsync(
                                gateway.request("/rollout_id/r" + i + "/chat/completions")
                                        .POST(HttpRequest.BodyPublishers.ofString(ASK))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString()))
                .toList();

        assertThat(replies).allSatisfy(reply -> assertThat(reply.join().body()).isEqualTo(String.join("", STREAM)));
        assertThat(gateway.runs()).hasSize(streams);
        assertThat(gateway.calls("r499")).hasSize(1).allSatisfy(ForwardedCallTest::assertAnswered);
    }

    // ---- security

    @Test
    void key_isSentToTheUpstreamAlone_andNowhereElse() throws Exception {
        String key = "k" + "ey-of-the-upstream-1";
        String own = "k" + "ey-of-the-client-22";
        start(Map.of("MODEL_KEY", key), "--upstream-key-env", "MODEL_KEY", "--allow-upstream", "http://127.0.0.1:*");
        gateway.post(PATH, ASK, "Authorization", "Bearer " + own);
        String base = Base64.getUrlEncoder().encodeToString(upstream.url().getBytes(StandardCharsets.UTF_8));
        gateway.post(
                "/rollout_id/r/encoded_base_url/" + base + "/chat/completions", ASK, "Authorization", "Bearer " + own);

        upstream.script(
                (request, out) -> reply("401 Unauthorized", "", request.head().getBytes(StandardCharsets.UTF_8))
                        .answer(request, out));
        assertThat(gateway.post(PATH, ASK).body()).contains(key);

        assertThat(upstream.requests().get(0).head()).contains("Bearer " + key).doesNotContain(own);
        assertThat(upstream.requests().get(1).head()).contains("Bearer " + own).doesNotContain(key);
        gateway.stop();
        assertThat(gateway.rlm().err()).doesNotContain(key, own);
        try (Stream<Path> files = Files.walk(folder.resolve(".rlm"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                        .doesNotContain(key, own);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.2:%d/v1",
                "http://user@127.0.0.1:%d/v1",
                "file:///etc/passwd",
                "https://127.0.0.1:%d/v1"
            })
    void upstreamThatIsNotAllowed_isNotAsked(String url) throws Exception {
        start("--allow-upstream", "http://127.0.0.1:*");
        String base = Base64.getUrlEncoder()
                .encodeToString(url.formatted(upstream.port()).getBytes(StandardCharsets.UTF_8));
        assertThat(gateway.post("/rollout_id/r/encoded_base_url/" + base + "/chat/completions", ASK)
                        .statusCode())
                .isIn(400, 403);
        assertThat(upstream.requests()).isEmpty();
        assertThat(gateway.runs()).isEmpty();
    }

    @Test
    void pageOfAnotherHost_isRefused() throws Exception {
        start();
        assertThat(gateway.post(PATH, ASK, "Origin", "http://evil.example").statusCode())
                .isEqualTo(403);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            socket.getOutputStream()
                    .write("GET /v1/status?rollout_id=r HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.UTF_8));
            assertThat(socket.getInputStream().readAllBytes())
                    .asString(StandardCharsets.UTF_8)
                    .startsWith("HTTP/1.1 403 ");
        }
        assertThat(upstream.requests()).isEmpty();
    }

    @Test
    void token_isAskedFor_whereOneIsSet_andStaysHere() throws Exception {
        String token = "0123456789" + "abcdef0123";
        start(Map.of("RLM_GATEWAY_TOKEN", token));
        assertThat(gateway.post(PATH, ASK).statusCode()).isEqualTo(401);
        assertThat(gateway.get("/v1/status?rollout_id=r", "Authorization", "Bearer wrong")
                        .statusCode())
                .isEqualTo(401);
        assertThat(gateway.post(PATH, ASK, "Authorization", "Bearer " + token).statusCode())
                .isEqualTo(200);
        assertThat(gateway.post(PATH, ASK, "Authorization", "Bearer key", "x-rlm-token", token)
                        .statusCode())
                .isEqualTo(200);

        assertThat(upstream.requests()).hasSize(2).noneMatch(each -> each.head().contains(token));
        assertThat(upstream.requests().get(1).head()).contains("Bearer key");
    }
}
