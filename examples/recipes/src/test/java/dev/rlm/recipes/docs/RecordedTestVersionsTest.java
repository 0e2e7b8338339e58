package dev.rlm.recipes.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tests of an agent that docs/junit.md shows, in a project with the oldest and the newest JUnit that the page names. */
@Timeout(300)
class RecordedTestVersionsTest {
    @ParameterizedTest
    @CsvSource({"5.13.4, 1.13.4", "6.1.3, 6.1.3"})
    void tests_areRuns_withEitherJUnit(String jupiter, String platform, @TempDir Path folder) throws Exception {
        OutsideProject project = new OutsideProject(
                folder,
                List.of(
                        "dev.rlm:agent-junit",
                        "dev.rlm:sink-jsonl",
                        "org.junit.jupiter:junit-jupiter:" + jupiter,
                        "org.junit.platform:junit-platform-console:" + platform));
        assertThat(project.compile(JavaPage.read("junit").sources())).isEmpty();
        Files.createDirectory(folder.resolve("target"));

        project.run(
                Map.of(),
                "org.junit.platform.console.ConsoleLauncher",
                "execute",
                "--select-class=Page",
                "--disable-banner",
                "--fail-if-no-tests");

        List<RunSummary> runs = Journal.open(folder.resolve("target/rlm")).runs();
        assertThat(runs)
                .extracting(RunSummary::state)
                .containsOnly(RunState.COMPLETED)
                .hasSize(6);
        assertThat(runs)
                .extracting(run -> run.row().run().correlation().sample())
                .containsOnly("Page.answersArithmetic", "Page.writesABriefSummary");
        assertThat(runs).extracting(RunSummary::totalReward).containsOnly(1.0);
    }
}
