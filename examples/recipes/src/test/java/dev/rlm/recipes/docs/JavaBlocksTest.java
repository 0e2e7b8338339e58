package dev.rlm.recipes.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The blocks of Java in README and docs, compiled in projects outside of this build and, where their preludes do so, run. */
@Timeout(300)
class JavaBlocksTest {
    /** Blocks that are not compiled here, and why. */
    private static final Map<String, String> ELSEWHERE =
            Map.of("scale 1", "Spark is fetched by -Pspark alone; JournalFramesTest makes the same calls");

    static List<JavaPage> pages() throws IOException {
        return JavaPage.all();
    }

    @Test
    void blocks_areAllCompiled() throws IOException {
        Set<String> shown = new TreeSet<>();
        for (Path page : OtherBlocksTest.pages()) {
            JavaPage.blocks(page).keySet().forEach(number -> shown.add(OtherBlocksTest.name(page) + " " + number));
        }
        Set<String> compiled = new TreeSet<>(ELSEWHERE.keySet());
        pages().forEach(page -> page.blocks().forEach(number -> compiled.add(page.name() + " " + number)));
        assertThat(compiled)
                .as("blocks with a prelude in src/test/resources, or with a reason here")
                .isEqualTo(shown);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void blocks_areCompiledAndRun_withWhatThePageNames(JavaPage page, @TempDir Path folder) throws Exception {
        assertThat(page.dependencies())
                .filteredOn(name -> name.startsWith("dev.rlm:"))
                .as("dependencies that the page names")
                .allSatisfy(name -> assertThat(Files.readString(page.file()))
                        .containsPattern("\\b" + name.replace("dev.rlm:", "") + "\\b"));
        OutsideProject project = new OutsideProject(folder, page.dependencies());
        assertThat(project.compile(page.sources())).isEmpty();
        if (page.isProgram()) {
            Path journal = folder.resolve("journal");
            project.run(Map.of("RLM_JSONL_DIR", journal.toString()), "Page");
            assertThat(Journal.open(journal).runs())
                    .isNotEmpty()
                    .allSatisfy(run -> assertThat(run.state()).isEqualTo(RunState.COMPLETED));
        }
    }
}
