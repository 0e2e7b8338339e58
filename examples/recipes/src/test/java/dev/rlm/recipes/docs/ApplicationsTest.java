package dev.rlm.recipes.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.testkit.chat.ChatServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Programs that know nothing of a record, each in a project of its own with what docs/frameworks.md names. */
@Timeout(300)
class ApplicationsTest {
    @ParameterizedTest
    @CsvSource({"LangChain4jAgent, frameworks.langchain4j", "SpringAiAgent, frameworks.spring"})
    void program_recordsItself(String program, String prelude, @TempDir Path folder) throws Exception {
        OutsideProject project =
                new OutsideProject(folder, JavaPage.read(prelude).dependencies());
        String source = Files.readString(Path.of("src/main/java/dev/rlm/recipes", program + ".java"));
        assertThat(project.compile(List.of(source))).isEmpty();
        Path journal = folder.resolve("journal");
        try (ChatServer server = ChatServer.start()) {
            server.answer(ChatAnswer.text("").tool("call_a", "add", "{\"a\": 1, \"b\": 2}"));
            server.answer(ChatAnswer.text("Three."));
            String said = project.run(
                    Map.of(
                            "OPENAI_BASE_URL",
                            server.baseUrl(),
                            "RLM_JSONL_ENABLED",
                            "true",
                            "RLM_JSONL_DIR",
                            journal.toString()),
                    "dev.rlm.recipes." + program);
            assertThat(said).contains("Three.");
        }
        RunSummary run = Journal.open(journal).run("last");
        assertThat(run.run().environment()).isEqualToIgnoringCase("calculator");
        assertThat(run.run().task().text()).isEqualTo("What is 1 + 2?");
        assertThat(run.state()).isEqualTo(RunState.COMPLETED);
        assertThat(run.steps()).isEqualTo(2);
        assertThat(run.toolCalls()).isEqualTo(1);
        assertThat(run.run().model()).isEqualTo("gpt-4o-mini");
    }
}
