package dev.rlm.sinks.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.redaction.regex.SearchDeadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeywordsTest {
    private static final String CHARACTERS = "aAbBcC-_:10é";

    private static String text(Random random, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
        }
        return text.toString();
    }

    private static List<String> occurrences(List<String> words, String text) {
        List<String> found = new ArrayList<>();
        Keywords.Builder keywords = new Keywords.Builder();
        words.forEach(word -> keywords.add(word, (search, from, to) -> found.add(word + " " + from + " " + to)));
        keywords.build().scan(new Search(text, SearchDeadline.in(Duration.ofMinutes(1))));
        return found;
    }

    /** Looks at every place for every word. */
    private static List<String> expected(List<String> words, String text) {
        String small = text.toLowerCase(Locale.ROOT);
        List<String> found = new ArrayList<>();
        for (int to = 0; to <= text.length(); to++) {
            for (String word : words) {
                if (small.substring(0, to).endsWith(word.toLowerCase(Locale.ROOT))) {
                    found.add(word + " " + (to - word.length()) + " " + to);
                }
            }
        }
        return found;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void words_areFoundWhereverTheyStand(int shortest) {
        Random random = new Random(shortest);
        for (int i = 0; i < 2_000; i++) {
            List<String> words = new ArrayList<>();
            for (int word = 0; word < 8; word++) {
                words.add(text(random, shortest + random.nextInt(4)));
            }
            String text = text(random, random.nextInt(120));
            assertThat(occurrences(words, text))
                    .as(words + " in " + text)
                    .containsExactlyInAnyOrderElementsOf(expected(words, text));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void wordsThatCountInTheirCase_areFoundInIt_besideOthers(int shortest) {
        Random random = new Random(shortest);
        for (int i = 0; i < 2_000; i++) {
            List<String> exact = List.of(text(random, shortest + random.nextInt(4)), text(random, 4));
            List<String> others = List.of(text(random, shortest + random.nextInt(4)), text(random, 4));
            String text = text(random, random.nextInt(120));
            Set<String> found = new HashSet<>();
            Keywords.Builder keywords = new Keywords.Builder();
            exact.forEach(word -> keywords.addExactly(word, (search, from, to) -> found.add(text.substring(from, to))));
            others.forEach(word -> keywords.add(word, (search, from, to) -> found.add(word + " " + from + " " + to)));
            keywords.build().scan(new Search(text, SearchDeadline.in(Duration.ofMinutes(1))));
            assertThat(found)
                    .as(exact + " and " + others + " in " + text)
                    .containsAll(exact.stream().filter(text::contains).toList())
                    .containsAll(expected(others, text));
        }
    }

    @Test
    void words_areFoundInLongTexts_inTheOrderInWhichTheyEnd() {
        String text = ("x".repeat(65_530) + "token").repeat(3);
        assertThat(occurrences(List.of("ken", "token"), text))
                .hasSize(6)
                .containsExactlyElementsOf(List.of(
                        "token 65530 65535",
                        "ken 65532 65535",
                        "token 131065 131070",
                        "ken 131067 131070",
                        "token 196600 196605",
                        "ken 196602 196605"));
    }
}
