package dev.rlm.runner.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.testkit.FreePort;
import dev.rlm.sinks.testkit.chat.ChatServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/** Models behind rLLM's own gateway, in the Python that {@code RLM_NEIGHBOURS_PYTHON} names: a session of it for each rollout. */
@EnabledIfEnvironmentVariable(
        named = "RLM_NEIGHBOURS_PYTHON",
        matches = ".+",
        disabledReason = "RLM_NEIGHBOURS_PYTHON names no Python with the packages of requirements.txt")
class RllmGatewayTest {
    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test, as are the next
    private ChatServer model;

    @SuppressWarnings("NullAway.Init")
    private Process gateway;

    private int port;

    @BeforeEach
    void start() throws Exception {
        model = ChatServer.start();
        model.answers(request -> Asking.submit("42"));
        port = FreePort.find();
        String python = Objects.requireNonNull(System.getenv("RLM_NEIGHBOURS_PYTHON"));
        gateway = new ProcessBuilder(
                        Path.of(python).resolveSibling("rllm-model-gateway").toString(),
                        "--host",
                        "127.0.0.1",
                        "--port",
                        String.valueOf(port),
                        "--store",
                        "memory",
                        "--worker",
                        model.baseUrl())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("gateway").toFile())
                .start();
        await().atMost(Duration.ofMinutes(2)).ignoreExceptions().until(() -> get("/health") != null);
    }

    @AfterEach
    void stop() throws Exception {
        gateway.destroyForcibly().waitFor();
        model.close();
    }

    private JsonElement get(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .build();
        return JsonParser.parseString(
                http.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }

    @Test
    void sessions_areTheRollouts_withTheCallsOfTheRecord() throws Exception {
        Cli run = new Asking(folder, model)
                .run("--base-url", "http://127.0.0.1:" + port + "/sessions/{rollout}/v1", "--rollouts", "3");
        assertThat(run.exitCode()).as(run.err()).isZero();
        List<ModelCalled> calls = Asking.calls();
        assertThat(calls).hasSize(3);
        for (ModelCalled call : calls) {
            JsonArray traces = get("/sessions/"
                            + Objects.requireNonNull(call.run().correlation().rollout()) + "/traces")
                    .getAsJsonArray();
            assertThat(StreamSupport.stream(traces.spliterator(), false))
                    .singleElement()
                    .satisfies(trace -> assertThat(trace.getAsJsonObject()
                                    .get("response_message")
                                    .toString())
                            .contains("submit", "42"));
        }
    }
}
