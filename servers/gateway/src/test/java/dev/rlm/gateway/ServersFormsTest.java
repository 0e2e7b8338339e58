package dev.rlm.gateway;

import static dev.rlm.cli.testkit.ScriptedUpstream.events;
import static dev.rlm.cli.testkit.ScriptedUpstream.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.cli.testkit.ScriptedUpstream;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.testkit.Waiting;
import io.airlift.compress.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Replies in the forms in which servers really send them; how their pieces are put together has a test of its own. */
class ServersFormsTest {
    private static final String ASK = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}";
    private static final String CHAT = "/rollout_id/r/v1/chat/completions";
    private static final String MESSAGES = "/rollout_id/r/v1/messages";
    private static final String DONE = "data: [DONE]\n\n";

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private ScriptedUpstream upstream;

    @SuppressWarnings("NullAway.Init") // likewise
    private RunningGateway gateway;

    @BeforeEach
    void start() throws Exception {
        upstream = new ScriptedUpstream(json("{}"));
        gateway = RunningGateway.start(folder, Map.of(), "--upstream", upstream.url());
    }

    @AfterEach
    void stop() throws Exception {
        gateway.close();
        upstream.close();
    }

    private ModelCalled called(String path, String... data) throws Exception {
        upstream.script(
                events(Stream.of(data).map(each -> each.replace('\'', '"')).toList()));
        gateway.post(path, ASK);
        List<ModelCalled> calls = gateway.calls("r");
        return calls.get(calls.size() - 1);
    }

    private static String delta(String delta) {
        return "data: {'choices':[{'index':0,'delta':{" + delta + "}}]}\n\n";
    }

    private static String end() {
        return "data: {'choices':[{'index':0,'delta':{},'finish_reason':'stop'}]}\n\n";
    }

    private static Message reply(ModelCalled call) {
        assertThat(call.error()).isNull();
        return Objects.requireNonNull(call.reply());
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "text/plain"})
    void stream_isOneWhateverItsTypeSays(String type) throws Exception {
        byte[] body =
                (delta("'content':'Hello'") + end() + DONE).replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        upstream.script(ScriptedUpstream.reply("200 OK", "Content-Type: " + type + "\r\n", body));
        gateway.post(CHAT, ASK);
        assertThat(reply(gateway.calls("r").get(0)).content()).hasToString("Hello");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "chat/completions | data: {'choices':[{'index':0,'delta':{'content':'The ans'}}]}",
                "messages | data: {'type':'content_block_delta','index':0,'delta':{'type':'text_delta','text':'The ans'}}",
                "responses | data: {'type':'response.output_text.delta','output_index':0,'delta':'The ans'}"
            })
    void streamThatEndsBeforeTheReply_hasFailed(String path, String data) throws Exception {
        assertThat(called("/rollout_id/r/v1/" + path, data.strip() + "\n\n").error())
                .hasToString("the stream ended before the reply did");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "data: {'error':'no slot'}\n\n",
                "data: {'error':{'message':'no slot'}}\n\n",
                "data: {'object':'error','message':'no slot','code':400}\n\ndata: [DONE]\n\n",
                "{'error':{'message':'no slot'}}"
            })
    void errorInAStream_isTheCalls(String body) throws Exception {
        assertThat(called(CHAT, body).error()).hasToString("the model failed: no slot");
    }

    @Test
    void resultsOfTools_areTold_whereIdsComeAgainOrAreMissing_andWhereTheyFailed() throws Exception {
        String[] turns = {
            "'tool_calls':[{'id':'c','function':{'name':'f','arguments':'1'}}]",
            "'tool_calls':[{'id':'c','function':{'name':'f','arguments':'2'}}]",
            "'tool_calls':[{'id':'','function':{'name':'g','arguments':'3'}},{'id':'','function':{'name':'h','arguments':'4'}}]",
            "'content':'done'"
        };
        String history = "{'role':'user','content':'q'}";
        String[][] results = {{"c", "one"}, {"c", "two"}, {"", "three", "", "four"}, {}};
        for (int turn = 0; turn < turns.length; turn++) {
            upstream.script(json(("{'choices':[{'message':{'role':'assistant','content':null," + turns[turn]
                            + "},'finish_reason':'stop'}]}")
                    .replace("'content':null,'content'", "'content'")
                    .replace('\'', '"')));
            gateway.post(CHAT, ("{'model':'m','messages':[" + history + "]}").replace('\'', '"'));
            history += ",{'role':'assistant'," + turns[turn] + "}";
            for (int i = 0; i < results[turn].length; i += 2) {
                history += ",{'role':'tool','tool_call_id':'" + results[turn][i] + "','content':'"
                        + results[turn][i + 1] + "'}";
            }
        }
        assertThat(gateway.events("r").stream()
                        .filter(ToolCalled.class::isInstance)
                        .map(ToolCalled.class::cast)
                        .map(call -> call.tool() + call.arguments() + "=" + call.result()))
                .containsExactlyInAnyOrder("f1=one", "f2=two", "g3=three", "h4=four");
    }

    @Test
    void resultThatIsAnError_failsItsTool() throws Exception {
        called(
                MESSAGES,
                "data: {'type':'message_start','message':{'id':'m1'}}\n\n",
                "data: {'type':'content_block_start','index':0,'content_block':{'type':'tool_use','id':'t','name':'Bash','input':{}}}\n\n",
                "data: {'type':'message_delta','delta':{'stop_reason':'tool_use'}}\n\n",
                "data: {'type':'message_stop'}\n\n");
        gateway.post(
                MESSAGES,
                "{'model':'m','messages':[{'role':'user','content':[{'type':'tool_result','tool_use_id':'t','is_error':true,'content':'no such file'}]}]}"
                        .replace('\'', '"'));
        assertThat(gateway.events("r"))
                .filteredOn(ToolCalled.class::isInstance)
                .singleElement()
                .satisfies(call -> assertThat(((ToolCalled) call).error()).hasToString("no such file"));
    }

    @Test
    void choices_areACallEach_ofWhichTheFirstIsTheReply() throws Exception {
        String first = "data: {'choices':[{'index':0,'delta':{'content':'4'},'finish_reason':'stop'}]}\n\n";
        String second = "data: {'choices':[{'index':1,'delta':{'content':'5'},'finish_reason':'stop'}]}\n\n";
        String usage = "data: {'choices':[],'usage':{'prompt_tokens':7,'completion_tokens':2}}\n\n";

        called(CHAT, first, second, usage, DONE);

        assertThat(gateway.calls("r"))
                .extracting(
                        call -> reply(call).content().text(),
                        call -> call.usage().inputTokens())
                .containsExactlyInAnyOrder(tuple("4", 7L), tuple("5", null));
    }

    @Test
    void compressedRequests_arePassedOnAsTheyAre_andRecorded() throws Exception {
        upstream.script(events(List.of(end().replace('\'', '"'), DONE)));
        ByteArrayOutputStream zstd = new ByteArrayOutputStream();
        try (OutputStream out = new ZstdOutputStream(zstd)) {
            out.write(ASK.getBytes(StandardCharsets.UTF_8));
        }
        ByteArrayOutputStream gzip = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(gzip)) {
            out.write(ASK.getBytes(StandardCharsets.UTF_8));
        }

        post(gzip, "gzip");
        post(zstd, "zstd");

        assertThat(gateway.calls("r"))
                .extracting(
                        ModelCalled::model,
                        call -> call.messages().get(0).content().text())
                .containsExactly(tuple("m", "q"), tuple("m", "q"));
        assertThat(upstream.requests())
                .extracting(request -> request.head().toLowerCase(Locale.ROOT))
                .satisfiesExactly(
                        head -> assertThat(head).contains("content-encoding: gzip"),
                        head -> assertThat(head).contains("content-encoding: zstd"));
    }

    private void post(ByteArrayOutputStream body, String coding) throws Exception {
        gateway.client()
                .send(
                        gateway.request(CHAT, "Content-Encoding", coding)
                                .POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray()))
                                .build(),
                        HttpResponse.BodyHandlers.discarding());
    }

    @Test
    void clientThatLeavesBeforeTheReply_endsItsCall() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        upstream.script((request, out) -> {
            asked.countDown();
            Thread.sleep(Duration.ofMinutes(2).toMillis());
        });
        URI url = URI.create(gateway.url());
        try (Socket client = new Socket(url.getHost(), url.getPort())) {
            client.getOutputStream()
                    .write(("POST " + CHAT + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + ASK.length()
                                    + "\r\n\r\n" + ASK)
                            .getBytes(StandardCharsets.UTF_8));
            assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
        }

        Waiting.await().until(() -> !gateway.calls("r").isEmpty());
        assertThat(gateway.calls("r").get(0).error()).hasToString("the client left before the reply came");
    }

    @Test
    void nextRequest_thatComesBeforeTheReply_isAnsweredToo() throws Exception {
        upstream.script((request, out) -> {
            Thread.sleep(1_500); // longer than the gateway looks after its client
            json("{}").answer(request, out);
        });
        String request =
                "POST " + CHAT + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + ASK.length() + "\r\n\r\n" + ASK;
        URI url = URI.create(gateway.url());
        try (Socket client = new Socket(url.getHost(), url.getPort())) {
            client.getOutputStream().write((request + request).getBytes(StandardCharsets.UTF_8));
            Waiting.await().until(() -> gateway.calls("r").size() == 2);
        }
        assertThat(gateway.calls("r")).allMatch(call -> call.error() == null);
    }

    @Test
    void streamUnderWay_whereTheGatewayIsStopped_isRecordedAsFarAsItCame() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        upstream.script((request, out) -> {
            ScriptedUpstream.begin(out);
            ScriptedUpstream.chunk(out, delta("'content':'The ans'").replace('\'', '"'));
            begun.countDown();
            Thread.sleep(Duration.ofMinutes(2).toMillis());
        });
        Thread client = new Thread(() -> {
            try {
                gateway.post(CHAT, ASK);
            } catch (Exception e) {
                // the gateway is stopped
            }
        });
        client.start();
        assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
        Thread.sleep(200); // until the gateway has it too

        gateway.stop();

        ModelCalled call = gateway.calls("r").get(0);
        assertThat(call.error()).hasToString("the gateway was stopped before the end of the reply");
        assertThat(Objects.requireNonNull(call.reply()).content()).hasToString("The ans");
        client.join();
    }
}
