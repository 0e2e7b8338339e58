package dev.rlm.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Mutation;
import dev.rlm.cli.testkit.ScriptedUpstream;
import dev.rlm.sinks.event.ModelCalled;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Requests and replies of each API with changes at random: they pass as they are, and each is recorded. A failure names the seed; {@code
 * -Dfuzz.seed} repeats it, {@code -Dfuzz.calls} asks for more.
 */
@Tag("thorough")
@Timeout(600)
class GatewayFuzzTest {
    private static final long SEED = Long.getLong("fuzz.seed", 1);
    private static final int CALLS = Integer.getInteger("fuzz.calls", 1_500);

    enum Api {
        CHAT(
                "chat/completions",
                "{\"model\":\"m\",\"temperature\":0.5,\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"},"
                        + "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"3*4?\"},{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AA\"}}]},"
                        + "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"mul\",\"arguments\":\"{}\"}}]},"
                        + "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"12\"}],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"mul\"}}]}",
                "{\"id\":\"c-1\",\"model\":\"m-2\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"12\",\"reasoning_content\":\"hm\","
                        + "\"tool_calls\":[{\"id\":\"b\",\"function\":{\"name\":\"mul\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"stop\","
                        + "\"logprobs\":{\"content\":[{\"token\":\"12\",\"logprob\":-0.5}]},\"token_ids\":[1,2]}],\"prompt_token_ids\":[3],"
                        + "\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,\"cost\":0.5,\"prompt_tokens_details\":{\"cached_tokens\":1}}}",
                String.join(
                        "\n\n",
                        "data: {\"id\":\"c-1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"1\"},\"logprobs\":{\"content\":[{\"token\":\"1\",\"logprob\":-1}]}}]}",
                        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"mul\",\"arguments\":\"{\"}}]},\"token_ids\":[4]}]}",
                        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10}}",
                        "data: [DONE]",
                        "")),
        RESPONSES(
                "responses",
                "{\"model\":\"m\",\"instructions\":\"Be brief.\",\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"3*4?\"}]},"
                        + "{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"mul\",\"arguments\":\"{}\"},{\"type\":\"function_call_output\",\"call_id\":\"a\",\"output\":\"12\"}],"
                        + "\"tools\":[{\"type\":\"function\",\"name\":\"mul\",\"parameters\":{}}],\"max_output_tokens\":9}",
                "{\"id\":\"r-1\",\"model\":\"m-2\",\"status\":\"completed\",\"output\":[{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"hm\"}]},"
                        + "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"12\"}]},{\"type\":\"function_call\",\"call_id\":\"b\",\"name\":\"mul\",\"arguments\":\"{}\"}],"
                        + "\"usage\":{\"input_tokens\":10,\"output_tokens\":5,\"input_tokens_details\":{\"cached_tokens\":1}}}",
                String.join(
                        "\n\n",
                        "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"12\"}",
                        "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"12\"}]}}",
                        "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\",\"output\":[],\"usage\":{\"input_tokens\":1}}}",
                        "")),
        MESSAGES(
                "messages",
                "{\"model\":\"m\",\"max_tokens\":9,\"system\":[{\"type\":\"text\",\"text\":\"Be brief.\"}],\"messages\":[{\"role\":\"user\",\"content\":\"3*4?\"},"
                        + "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\"},{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"mul\",\"input\":{}}]},"
                        + "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":[{\"type\":\"text\",\"text\":\"12\"}]}]}],\"tools\":[{\"name\":\"mul\",\"input_schema\":{}}]}",
                "{\"id\":\"m-1\",\"type\":\"message\",\"model\":\"m-2\",\"content\":[{\"type\":\"text\",\"text\":\"12\"},{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"mul\",\"input\":{\"x\":1}}],"
                        + "\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":10,\"output_tokens\":5,\"cache_read_input_tokens\":1}}",
                String.join(
                        "\n\n",
                        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m-1\",\"content\":[],\"usage\":{\"input_tokens\":10}}}",
                        "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"mul\",\"input\":{}}}",
                        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}",
                        "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":5}}",
                        "data: {\"type\":\"message_stop\"}",
                        ""));

        private final String path;
        private final String request;
        private final String reply;
        private final String stream;

        Api(String path, String request, String reply, String stream) {
            this.path = path;
            this.request = request;
            this.reply = reply;
            this.stream = stream;
        }
    }

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private ScriptedUpstream upstream;

    @SuppressWarnings("NullAway.Init") // likewise
    private RunningGateway gateway;

    @BeforeEach
    void start() throws Exception {
        upstream = new ScriptedUpstream(ScriptedUpstream.json("{}"));
        gateway = RunningGateway.start(folder, Map.of(), "--upstream", upstream.url());
    }

    @AfterEach
    void stop() throws Exception {
        gateway.close();
        upstream.close();
    }

    @ParameterizedTest
    @EnumSource
    void changedRequestsAndReplies_passAsTheyAre_andAreRecorded(Api api) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        URI url = URI.create(gateway.url() + "/rollout_id/r/v1/" + api.path);
        for (int call = 0; call < CALLS; call++) {
            Random random = new Random(SEED + call);
            boolean stream = random.nextBoolean();
            byte[] reply = Mutation.of((stream ? api.stream : api.reply).getBytes(StandardCharsets.UTF_8), random);
            upstream.script(ScriptedUpstream.reply(
                    "200 OK", "Content-Type: " + (stream ? "text/event-stream" : "application/json") + "\r\n", reply));
            byte[] request = random.nextBoolean()
                    ? api.request.getBytes(StandardCharsets.UTF_8)
                    : Mutation.of(api.request.getBytes(StandardCharsets.UTF_8), random);
            HttpResponse<byte[]> answer = client.send(
                    HttpRequest.newBuilder(url)
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofByteArray(request))
                            .build(),
                    HttpResponse.BodyHandlers.ofByteArray());
            assertThat(answer.statusCode()).as("-Dfuzz.seed=%d", SEED + call).isEqualTo(200);
            assertThat(answer.body()).as("-Dfuzz.seed=%d", SEED + call).isEqualTo(reply);
        }
        gateway.stop();
        assertThat(gateway.calls("r").stream().map(ModelCalled::step))
                .as("a number is that of a call, whose seed is one less than it and that of the test together")
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, CALLS).boxed().toList());
        assertThat(gateway.rlm().err()).doesNotContain("Exception", "\tat ");
    }
}
