package dev.rlm.sinks.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class BeginningsTest {
    private static final int TEXTS = 400;
    private static final String CHARACTERS = "aZ_9 \t\n\r\u000B\f\\\"'%+-=:;/@.,é\u017F\u212A字\uD83D\uDE00\uD83D\0";

    private static final String ORDINARY =
            " the token of a basic cookie, and the password: to log in, a task-1 with key-2";

    /** With some of its characters changed, most of them early on. */
    private static String changed(Random random, String text) {
        StringBuilder changed = new StringBuilder(text);
        for (int i = random.nextInt(3); i > 0; i--) {
            int at = random.nextInt(Math.min(40, changed.length()));
            int width = random.nextInt(2);
            char other = CHARACTERS.charAt(random.nextInt(CHARACTERS.length()));
            changed.replace(at, at + width, String.valueOf(other));
        }
        return changed.toString();
    }

    private static boolean isKeywordAt(Rule rule, String text, int index) {
        return rule.keywords().stream().anyMatch(word -> text.regionMatches(true, index, word, 0, word.length()));
    }

    @Test
    void whatMatches_isNeverRuledOut() {
        List<Rule> rules = Finders.rules(Set.of(PersonalData.values()));
        List<Function<Random, Planted>> formats = Planted.formats();
        List<Encoding> encodings = List.of(Encoding.values());
        Random random = new Random(20_261_122);
        int matches = 0;
        int ruledOut = 0;
        for (int i = 0; i < TEXTS; i++) {
            String planted = formats.get(i % formats.size()).apply(random).inContext();
            String encoded = encodings.get(i % 5).of(planted, i);
            String text = (i % 3 == 0 ? encoded : changed(random, encoded)) + ORDINARY;
            for (Rule rule : rules) {
                for (int from = 0; from < text.length(); from++) {
                    if (isKeywordAt(rule, text, from)) {
                        boolean may = rule.mayBeginAt(text, from);
                        ruledOut += may ? 0 : 1;
                        if (rule.tryAt(text, from, Deadline.in(Duration.ofMinutes(1)), unused -> {}) > 0) {
                            matches++;
                            assertThat(may)
                                    .as("%s at %s of %s", rule.kind(), from, text)
                                    .isTrue();
                        }
                    }
                }
            }
        }
        assertThat(matches).isGreaterThan(TEXTS / 4);
        assertThat(ruledOut).isGreaterThan(TEXTS / 10);
    }
}
