package dev.rlm.sinks.redaction.regex;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.redaction.PlainSearch;
import java.time.Duration;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupFinderTest {
    private static final String CHARACTERS = "aAbB_9 \n-.\"\\%2é\uD83D\uDE00";

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(14); i > 0; i--) {
            text.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(a|ab)(b*)([^b]?)",
                "([ab]{0,3}?)(b+)(.*)",
                "(?:a|b|\\w){1,9}?(9)",
                "(?:(a)|B){1,3}_?",
                "(?:a|\\\\+b){0,3}([^\"]{2,})(?:\"|\\z)",
                "(?i:a{1,2})((?:(?:-|_){0,2}[ab]{1,2}){0,4})\\.?",
                "((?:[^a%]|%2){1,4})(?:a|%|\\z)",
                "([\\w-]{2,3})\\b"
            })
    void groups_areThoseOfJava(String regex) {
        Random random = new Random(regex.hashCode());
        Regex parsed = RegexParser.parse(regex);
        GroupFinder finder = new GroupFinder(parsed);
        Pattern pattern =
                Pattern.compile(regex.replace("\\b", "(?:(?<=\\w)(?!\\w)|(?<!\\w)(?=\\w))"), Pattern.UNIX_LINES);
        int found = 0;
        for (int i = 0; i < 20_000; i++) {
            String text = text(random);
            if (PlainSearch.isMeantAlike(text)) {
                int[] groups = finder.find(text, 0, SearchDeadline.in(Duration.ofMinutes(1)));
                Matcher matcher = pattern.matcher(text);
                assertThat(groups != null).as(text).isEqualTo(matcher.lookingAt());
                for (int group = 0; groups != null && group <= matcher.groupCount(); group++) {
                    assertThat(groups[2 * group]).as("%s in %s", group, text).isEqualTo(matcher.start(group));
                    assertThat(groups[2 * group + 1])
                            .as("%s in %s", group, text)
                            .isEqualTo(matcher.end(group));
                }
                found += groups == null ? 0 : 1;
            }
        }
        assertThat(found).isGreaterThan(100);
    }

    @Test
    void longMatch_needsNoStack() {
        String text = "a%2".repeat(100_000) + "!";
        Regex regex = RegexParser.parse("((?:a|%2){8,})!");
        assertThat(new GroupFinder(regex).find(text, 0, SearchDeadline.in(Duration.ofMinutes(1))))
                .containsExactly(0, text.length(), 0, text.length() - 1);
    }

    @Test
    void anyNumberOfWhatIsNotToldAtOnce_isRefused() {
        Regex regex = RegexParser.parse("(?:a[ab]?)*");
        assertThatThrownBy(() -> new GroupFinder(regex)).isInstanceOf(IllegalArgumentException.class);
    }
}
