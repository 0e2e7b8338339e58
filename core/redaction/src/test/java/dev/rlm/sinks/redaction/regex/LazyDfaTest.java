package dev.rlm.sinks.redaction.regex;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.re2j.Pattern;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LazyDfaTest {
    private static final String CHARACTERS = "aAbkKs_9 \t\n\r\u000B\f-.\"\\]é\u017F\u212A字\uD83D\uDE00\uD83D";

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
        }
        return text.toString();
    }

    private static boolean matches(String regex, String text) {
        return new LazyDfa(RegexParser.parse(regex)).matches(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a|b|",
                "a(b|k)*9",
                "(?i:k)s+\\z",
                "(?i:[^ks])[a-k]{2,4}?9",
                "[\\w\\-]{3,}(?:\\.[\\w]|\\z)",
                "\\S\\s.\\z",
                "(?s:.{0,3}?)[]9]",
                "\\w{2}\\b",
                "(?:[^\"\\\\]|\\\\\\\\){2}\\\\",
                "(?:a?){3}b?[^a]",
                "(?:ab|a){2}b",
                "[^a]{3}_"
            })
    void answer_isThatOfRe2(String regex) {
        Random random = new Random(regex.hashCode());
        LazyDfa dfa = new LazyDfa(RegexParser.parse(regex));
        Pattern pattern = Pattern.compile("\\A(?:" + regex + ")");
        for (int i = 0; i < 20_000; i++) {
            String text = text(random);
            assertThat(dfa.matches(text))
                    .as(text)
                    .isEqualTo(pattern.matcher(text).lookingAt());
        }
    }

    @Test
    void states_areMadeAnew_whenTheyAreTooMany() {
        LazyDfa dfa = new LazyDfa(RegexParser.parse("(?:a|b){0,1500}c"));
        String longest = "ab".repeat(750);
        for (int i = 0; i < 2; i++) {
            assertThat(dfa.matches(longest + "c")).isTrue();
            assertThat(dfa.matches(longest + "ac")).isFalse();
        }
    }

    @Test
    void triesThatMeet_comeToTheSame() {
        LazyDfa dfa = new LazyDfa(RegexParser.parse("a(?:[^ b]|b[^ b])*(?:b |9\\z)"));
        Random random = new Random(7);
        for (int i = 0; i < 200; i++) {
            StringBuilder made = new StringBuilder();
            for (int length = random.nextInt(600); length > 0; length--) {
                made.append("aaa9b字\uD83D\uDE00 ".charAt(random.nextInt(random.nextInt(20) == 0 ? 9 : 6)));
            }
            String text = made.toString();
            LazyDfa.Traces traces = new LazyDfa.Traces(SearchDeadline.in(Duration.ofMinutes(1)));
            for (int from = 0; from < text.length(); from++) {
                assertThat(dfa.end(text, from, traces)).as(text + from).isEqualTo(dfa.end(text, from, null));
            }
        }
    }

    @Test
    void beginning_mayBegin_untilNothingCanFollow() {
        LazyDfa dfa = new LazyDfa(RegexParser.parse("key-[0-9]{3}x"));
        assertThat(dfa.mayBegin("key-12")).isTrue();
        assertThat(dfa.mayBegin("key-123x and more")).isTrue();
        assertThat(dfa.mayBegin("key-12x")).isFalse();
    }

    @Test
    void boundary_needsTheEndOfTheWordBeforeIt() {
        assertThat(matches("[a-f]{2}\\b", "ab")).isTrue();
        assertThat(matches("[a-f]{2}\\b", "ab.")).isTrue();
        assertThat(matches("[a-f]{2}\\b", "abc")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\pL", "a**", "(?=a)", "(a", "a)", "é", "\\Q", "(?m:a)"})
    void whatIsNotKnown_isRefused(String regex) {
        assertThatThrownBy(() -> RegexParser.parse(regex)).isInstanceOf(RuntimeException.class);
    }
}
