package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The language of comments and documents. */
class LanguageTest {
    private static final double MOST_CLAUSES = 0.04;
    private static final Pattern JAVADOC = Pattern.compile("/\\*\\*\\s*\\*?\\s*(?:<p>)?([A-Za-z]+)");
    private static final Pattern CLAUSE = Pattern.compile("What|Whether|How|Where|Who|Whoever|Why|When|Which");
    private static final Pattern DIALECT = Pattern.compile(
            "\\b(?:anew|its like|likewise|no news|nobody|where none is|whoever)\\b", Pattern.CASE_INSENSITIVE);

    private static final Set<String> METAPHORS = Set.of(
            "Account",
            "Arrival",
            "Backoff",
            "Courier",
            "Departures",
            "Door",
            "Doors",
            "Draft",
            "Excerpt",
            "Fate",
            "Foreign",
            "Handover",
            "Intake",
            "Losses",
            "Making",
            "Meaning",
            "Numbering",
            "Outbox",
            "Outlet",
            "Pace",
            "Parcel",
            "Patience",
            "Plain",
            "Quarantine",
            "Said",
            "Seat",
            "Standin",
            "Standing",
            "Stretch",
            "Tally",
            "Tenure",
            "Trouble",
            "Verdicts",
            "Weight");

    @Test
    void javadocs_beginWithTheirSubject() throws IOException {
        List<String> firstWords = sources()
                .flatMap(file -> JAVADOC.matcher(read(file)).results())
                .map(first -> first.group(1))
                .toList();
        List<String> clauses = firstWords.stream()
                .filter(word -> CLAUSE.matcher(word).matches())
                .toList();
        assertThat(firstWords).hasSizeGreaterThan(5_000);
        assertThat(clauses).hasSizeLessThan((int) (MOST_CLAUSES * firstWords.size()));
    }

    @Test
    void comments_messagesAndDocuments_haveNoWordsOfADialect() throws IOException {
        assertThat(Stream.concat(sources(), documents()).flatMap(LanguageTest::dialect))
                .isEmpty();
    }

    /** Metaphors that types were named by before they had names of the field. */
    @Test
    void types_haveNamesOfTheField() throws IOException {
        assertThat(sources()
                        .map(file -> file.getFileName().toString().replace(".java", ""))
                        .filter(METAPHORS::contains))
                .isEmpty();
    }

    private static Stream<String> dialect(Path file) {
        String text = read(file);
        return DIALECT.matcher(text).results().map(word -> Repository.name(file) + ":" + line(text, word));
    }

    private static String line(String text, MatchResult word) {
        return 1 + text.substring(0, word.start()).lines().count() + " " + word.group();
    }

    private static Stream<Path> sources() throws IOException {
        return Repository.files(name -> name.endsWith(".java") && name.contains("/src/main/")).stream();
    }

    private static Stream<Path> documents() throws IOException {
        return Repository.files(name -> name.endsWith(".md") && !name.equals("THIRD-PARTY.md")).stream();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
