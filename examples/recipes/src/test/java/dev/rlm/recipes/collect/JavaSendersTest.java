package dev.rlm.recipes.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.recipes.gateway.CannedModel;
import dev.rlm.sinks.event.ModelCalled;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program on OpenAI's client under OpenTelemetry's Java agent, whose spans {@code rlm collect} takes. */
@Tag("thorough")
@Timeout(300)
class JavaSendersTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"http/protobuf", "grpc"})
    void calls_underTheJavaAgent_areRuns(String protocol) throws Exception {
        try (CannedModel model = new CannedModel();
                CollectBeside collector = new CollectBeside(folder)) {
            run(model, collector, protocol);

            List<ModelCalled> calls = collector.runs(2).stream()
                    .flatMap(run -> collector.all(ModelCalled.class, run).stream())
                    .toList();
            assertThat(calls)
                    .extracting(
                            ModelCalled::provider,
                            ModelCalled::model,
                            ModelCalled::responseModel,
                            call -> call.usage().inputTokens(),
                            call -> call.parameters().get("temperature"),
                            call -> call.error() == null)
                    .containsExactlyInAnyOrder(
                            tuple("openai", "sums", "sums-2", 20L, 0.5, true),
                            tuple("openai", "broken", null, null, 0.5, false));
        }
    }

    private static void run(CannedModel model, CollectBeside collector, String protocol) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-javaagent:"
                                + Path.of("target/javaagent/opentelemetry-javaagent.jar")
                                        .toAbsolutePath(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        JavaAgent.class.getName())
                .redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("OTEL_") || name.equals("TRACEPARENT"));
        builder.environment().putAll(collector.variables(model, protocol));
        Process agent = builder.start();
        try {
            String said = new String(agent.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(agent.waitFor()).as(said).isZero();
            assertThat(Objects.requireNonNull(said)).contains("the model is broken");
        } finally {
            agent.destroyForcibly();
        }
    }
}
