package dev.rlm.recipes.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The official Java clients of OpenAI and Anthropic, and LangChain4j, through the gateway, against going to the model directly. */
@Timeout(120)
class ForwardedAgentsTest {
    @TempDir
    private static Path folder;

    private static GatewayBeside gateway;

    @BeforeAll
    static void start() throws IOException {
        gateway = new GatewayBeside(folder);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    /** An agent on a client library, which takes the base URL without {@code /v1}. */
    private interface Agent {
        List<String> answer(String base, String model, boolean stream);
    }

    private record Client(String name, Agent agent, boolean stream) {
        List<String> ask(String base, String model) {
            return agent.answer(base, model, stream);
        }

        String rollout(String model) {
            return (name + (stream ? "-stream-" : "-") + model);
        }

        @Override
        public String toString() {
            return name + (stream ? ", streamed" : "");
        }
    }

    static Stream<Client> sdks() {
        return Stream.of(false, true)
                .flatMap(stream -> Stream.of(
                        new Client("chat", Agents::chat, stream),
                        new Client("responses", Agents::responses, stream),
                        new Client("messages", Agents::messages, stream)));
    }

    static Stream<Client> clients() {
        return Stream.concat(
                sdks(), Stream.of(false, true).map(stream -> new Client("langchain4j", Agents::langChain4j, stream)));
    }

    @ParameterizedTest
    @MethodSource("clients")
    void conversation_isTheSame_andRecorded(Client client) {
        String rollout = client.rollout("sums");
        assertThat(gateway.sameOnBothWays(rollout, base -> client.ask(base, "sums")))
                .last()
                .asString()
                .contains("3 and 7 – done.");
        gateway.assertConversation(rollout);
    }

    @ParameterizedTest
    @MethodSource("clients")
    void refusal_isTheSame_andRecorded(Client client) {
        String rollout = client.rollout("broken");
        gateway.sameOnBothWays(rollout, base -> {
            try {
                return client.ask(base, "broken");
            } catch (RuntimeException e) {
                assertThat(e).hasStackTraceContaining("the model is broken");
                return List.of(String.valueOf(e.getMessage()));
            }
        });
        gateway.assertRefused(rollout);
    }

    @ParameterizedTest
    @MethodSource("sdks")
    void refusedCall_isTriedAgainByTheClient_andBothAreRecorded(Client client) {
        String rollout = client.rollout("busy");
        List<String> seen = gateway.sameOnBothWays(rollout, base -> client.ask(base, "busy"));
        assertThat(seen).last().asString().contains("3 and 7 – done.");
        gateway.assertTriedAgain(rollout);
    }
}
