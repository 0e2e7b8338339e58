package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.page.MarkdownPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The RATIONALE.md of each module: its form, and its questions in the list of all. */
class RationaleTest {
    private static final Path ROOT = Repository.ROOT;
    private static final String NAME = "RATIONALE.md";
    private static final String QUESTION = "## ";
    private static final Pattern LINK = Pattern.compile("\\[((?:`[^`]*`|[^\\[\\]`])+)]\\(([^()\\s]+)\\)");

    @Test
    void list_hasAllQuestionsOfEachModule() throws IOException {
        Map<String, List<String>> listed = new TreeMap<>();
        for (MatchResult link : links(ROOT.resolve(NAME))) {
            String target = link.group(2);
            int anchor = target.indexOf('#');
            if (target.indexOf(NAME) > 0) { // of a module
                List<String> questions = listed.computeIfAbsent(
                        anchor < 0 ? target : target.substring(0, anchor), file -> new ArrayList<>());
                if (anchor >= 0) {
                    questions.add(link.group(1));
                }
            }
        }

        Map<String, List<String>> asked = new TreeMap<>();
        for (String file : ofModules().toList()) {
            List<String> headings = MarkdownPage.read(ROOT.resolve(file)).headings();
            asked.put(file, headings.subList(1, headings.size()));
        }
        assertThat(listed).isEqualTo(asked).hasSizeGreaterThan(1);
    }

    @ParameterizedTest
    @MethodSource("ofModules")
    void sections_areQuestions(String file) throws IOException {
        List<String> lines = Files.readAllLines(ROOT.resolve(file));

        assertThat(lines.get(0)).startsWith("# ");
        assertThat(lines.stream().skip(1).filter(line -> line.startsWith("#")))
                .isNotEmpty()
                .doesNotHaveDuplicates()
                .allSatisfy(line -> assertThat(line).startsWith(QUESTION).endsWith("?"));
    }

    static Stream<String> ofModules() throws IOException {
        return Repository.modules().stream()
                .map(module -> module + "/" + NAME)
                .filter(file -> Files.exists(ROOT.resolve(file)));
    }

    private static List<MatchResult> links(Path file) throws IOException {
        return LINK.matcher(Files.readString(file)).results().toList();
    }
}
