package dev.rlm.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/observe.md} shows the code of this module, which its other tests run. */
class ObservePageTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "observe.md");
    private static final Path FRAMEWORKS = PAGE.resolveSibling("frameworks.md");
    private static final Path RECIPES = Path.of("src/main/java/dev/rlm/recipes");
    private static final Path TESTS = Path.of("src/test/java/dev/rlm/recipes");

    @Test
    void blocksOfCode_ofTheLibraries_areOfThisModule() throws IOException {
        String sources = sources(RECIPES) + sources(TESTS);
        assertThat(blocks()).hasSize(2).allSatisfy(block -> assertThat(sources).contains(unindented(block)));
    }

    @Test
    void recipe_isShownWhole() throws IOException {
        String source = Files.readString(RECIPES.resolve("TracedOpenAi.java"));
        assertThat(blocks()).contains(source.substring(source.indexOf("\nimport ") + 1));
    }

    @Test
    void versions_areThoseThatAreTested() throws IOException {
        String pom = Files.readString(Path.of("pom.xml"));
        List<String> shown = found("`[a-z.0-9]+:[a-z0-9-]+:([0-9.]+)`", Files.readString(PAGE));
        List<String> tested = found("<version\\.openai>([0-9.]+)<", pom);
        assertThat(shown).isEqualTo(tested).hasSize(1);

        String all = Files.readString(Path.of("..", "..", "pom.xml"));
        List<String> frameworks =
                found("\\| (?:LangChain4j|Spring AI|Google ADK for Java) ([0-9.]+)", Files.readString(FRAMEWORKS));
        assertThat(frameworks)
                .isEqualTo(found("<version\\.(?:langchain4j|spring-ai|adk)>([0-9]+\\.[0-9]+)\\.[0-9]+<", all))
                .hasSize(3);
    }

    /** The code in the chapters that are named after a library. */
    private static List<String> blocks() throws IOException {
        String page = Files.readString(PAGE);
        String chapters = page.substring(page.indexOf("\n## The OpenAI SDK"), page.indexOf("\n## Beside other"));
        return found("(?s)```java\n(.*?)```", chapters);
    }

    private static List<String> found(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }

    private static String sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isRegularFile).map(ObservePageTest::read).collect(Collectors.joining());
        }
    }

    private static String read(Path file) {
        try {
            return unindented(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String unindented(String code) {
        return code.lines().map(line -> line.strip() + "\n").collect(Collectors.joining());
    }
}
