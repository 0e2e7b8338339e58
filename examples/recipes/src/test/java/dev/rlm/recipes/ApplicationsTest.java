package dev.rlm.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.RunState;
import dev.rlm.sinks.jsonl.RunSummary;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.testkit.chat.ChatServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that know nothing of a record, in processes of their own, with the modules on their class path. */
@Timeout(120)
class ApplicationsTest {
    @ParameterizedTest
    @ValueSource(classes = {LangChain4jAgent.class, SpringAiAgent.class})
    void program_recordsItself(Class<?> program, @TempDir Path folder) throws Exception {
        try (ChatServer server = ChatServer.start()) {
            server.answer(ChatAnswer.text("").tool("call_a", "add", "{\"a\": 1, \"b\": 2}"));
            server.answer(ChatAnswer.text("Three."));
            ProcessBuilder builder = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            program.getName())
                    .redirectError(ProcessBuilder.Redirect.INHERIT);
            builder.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_"));
            builder.environment()
                    .putAll(Map.of(
                            "OPENAI_BASE_URL",
                            server.baseUrl(),
                            "RLM_JSONL_ENABLED",
                            "true",
                            "RLM_JSONL_DIR",
                            folder.resolve("journal").toString()));
            Process process = builder.start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(said).isZero();
            assertThat(said).contains("Three.");
        }
        RunSummary run = Journal.open(folder.resolve("journal")).run("last");
        assertThat(run.run().environment()).isEqualToIgnoringCase("calculator");
        assertThat(run.run().task().text()).isEqualTo("What is 1 + 2?");
        assertThat(run.state()).isEqualTo(RunState.COMPLETED);
        assertThat(run.steps()).isEqualTo(2);
        assertThat(run.toolCalls()).isEqualTo(1);
        assertThat(run.run().model()).isEqualTo("gpt-4o-mini");
    }
}
