package dev.rlm.sinks.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.redaction.regex.SearchDeadline;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class UnescapedTest {
    private static final int TEXTS = 3_000;

    /** With a piece of it written with escapes, or broken up by what shows it. */
    private static String escaped(Random random, String text) {
        int from = random.nextInt(text.length());
        int to = Math.min(text.length(), from + 1 + random.nextInt(40));
        List<String> broken = Surrounding.broken(text.substring(from, to));
        return text.substring(0, from) + broken.get(random.nextInt(broken.size())) + text.substring(to);
    }

    private static Keywords keywords() {
        Keywords.Builder builder = new Keywords.Builder();
        Unescaped.addTo(builder);
        List<Rule> rules = Finders.rules(Set.of());
        Rule.addTo(builder, rules);
        Base64Lead.addTo(builder, rules);
        return builder.build();
    }

    private static Search search(String text) {
        return new Search(text, SearchDeadline.in(Duration.ofMinutes(1)));
    }

    @Test
    void findings_areThoseOfASearchOfTheWholeText() {
        Random random = new Random(20_261_123);
        List<Function<Random, Planted>> formats = Planted.formats();
        Keywords keywords = keywords();
        int further = 0;
        for (int i = 0; i < TEXTS; i++) {
            String text = escaped(random, escaped(random, PlainSearchTest.text(random, formats)));
            Search before = search(text);
            keywords.scan(before);
            Unescaped unescaped = Unescaped.of(before);
            if (unescaped != null) {
                Search whole = search(unescaped.text());
                keywords.scan(whole);
                Search changed = search(unescaped.text());
                unescaped
                        .occurrences(before, keywords)
                        .forEach(each -> changed.follow(each.lead(), each.from(), each.to()));
                Set<FoundSecret> known = new HashSet<>(before.findings());
                Set<FoundSecret> expected = new HashSet<>(known);
                whole.findings().forEach(finding -> expected.add(unescaped.place(finding)));
                Set<FoundSecret> found = new HashSet<>(known);
                changed.findings().forEach(finding -> found.add(unescaped.place(finding)));
                assertThat(found).as(text).isEqualTo(expected);
                further += expected.size() - known.size();
            }
        }
        assertThat(further).isGreaterThan(TEXTS / 4);
    }
}
