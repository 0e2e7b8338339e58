package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The RATIONALE.md of each module: its form, its links, and its questions in the list of all. */
class RationaleTest {
    private static final Path ROOT = Path.of("..");
    private static final String NAME = "RATIONALE.md";
    private static final String QUESTION = "## ";
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern LINK = Pattern.compile("\\[((?:`[^`]*`|[^\\[\\]`])+)]\\(([^()\\s]+)\\)");
    private static final Pattern NOT_IN_ANCHOR = Pattern.compile("[^\\p{L}\\p{N}_ -]");

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
            asked.put(file, headings(ROOT.resolve(file)).skip(1).toList());
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

    @ParameterizedTest
    @MethodSource("all")
    void links_leadSomewhere(String file) throws IOException {
        for (MatchResult link : links(ROOT.resolve(file))) {
            String[] target = link.group(2).split("#", 2);
            Path path = ROOT.resolve(file).resolveSibling(target[0]);

            assertThat(path).as(link.group()).exists();
            if (target.length > 1) {
                assertThat(headings(path).map(RationaleTest::anchor))
                        .as(link.group())
                        .contains(target[1]);
            }
        }
    }

    static Stream<String> all() throws IOException {
        return Stream.concat(Stream.of(NAME), ofModules());
    }

    static Stream<String> ofModules() throws IOException {
        return MODULE.matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .map(module -> module.group(1) + "/" + NAME)
                .filter(file -> Files.exists(ROOT.resolve(file)));
    }

    private static List<MatchResult> links(Path file) throws IOException {
        return LINK.matcher(Files.readString(file)).results().toList();
    }

    private static Stream<String> headings(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> line.matches("#{1,6} .*"))
                .map(line -> line.substring(line.indexOf(' ') + 1));
    }

    /** Returns the anchor that GitHub gives a heading, where no other of the file has the same. */
    private static String anchor(String heading) {
        return NOT_IN_ANCHOR
                .matcher(heading.toLowerCase(Locale.ROOT))
                .replaceAll("")
                .replace(' ', '-');
    }
}
