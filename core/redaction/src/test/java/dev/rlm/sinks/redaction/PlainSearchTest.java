package dev.rlm.sinks.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.redaction.regex.SearchDeadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The prefilter, the automata and the limits of readers change nothing that is found: over texts with secrets of every form,
 * written in every way, some of whose characters are changed. {@code -Dfuzz.texts} and {@code -Dfuzz.seed} ask for others.
 */
@Tag("thorough")
class PlainSearchTest {
    private static final int TEXTS = Integer.getInteger("fuzz.texts", 1_000_000);
    private static final long SEED = Long.getLong("fuzz.seed", 20_261_123);
    private static final int PARTS = 8; // each on a thread
    private static final int MOST_CHANGES = 6;
    private static final int LONG = 2_000;
    private static final String CHARACTERS = "aZ_9 \t\n\r\f\\\"'%+-=:;/@.,é字&#{}[]()<>$|\0";
    private static final String[] BETWEEN = {
        "+",
        "=",
        "='",
        "\"",
        ": ",
        "=x",
        "%20",
        "/",
        " ",
        "a1b2c3d4e5f6",
        "Abc123xyz789QWErty456",
        "your",
        "://",
        "b=b",
        ";",
        "("
    };
    private static final String[] ORDINARY = {
        " the token of a basic cookie, and the password: to log in, a task-1 with key-2 ",
        "    def login(self, password=None, token=\"\"): return self.secret_key == key\n",
        "{\"id\": \"9f86d081884c7d65\", \"url\": \"https://a.b:80/c?d=e&token=\", \"n\": [1, 2]}\n",
        "2026-01-01T10:00:00Z WARN retry mysql -h db -u root, authorization: none; pass \n"
    };

    private final List<Rule> rules = Finders.rules(Set.of(PersonalData.values()));
    private final PlainSearch plain = new PlainSearch(rules);
    private final Keywords keywords = keywords(rules);

    private static Keywords keywords(List<Rule> rules) {
        Keywords.Builder builder = new Keywords.Builder();
        Rule.addTo(builder, rules);
        return builder.build();
    }

    static String text(Random random, List<Function<Random, Planted>> formats) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(3); i >= 0; i--) {
            text.append(ORDINARY[random.nextInt(ORDINARY.length)]);
            String planted =
                    formats.get(random.nextInt(formats.size())).apply(random).inContext();
            Encoding[] encodings = {Encoding.PLAIN, Encoding.PLAIN, Encoding.URL, Encoding.JSON};
            String encoded = encodings[random.nextInt(encodings.length)].of(planted, random.nextInt(12));
            Surrounding[] surroundings = Surrounding.values();
            text.append(surroundings[random.nextInt(surroundings.length)].of(encoded));
        }
        for (int i = random.nextInt(MOST_CHANGES); i > 0; i--) {
            int at = random.nextInt(text.length());
            char other = CHARACTERS.charAt(random.nextInt(CHARACTERS.length()));
            text.replace(at, at + random.nextInt(2), String.valueOf(other));
        }
        return text.toString();
    }

    /** Keywords, values and what stands between them, few of them many times: values with keywords in them. */
    private static String nested(Random random, List<Rule> rules) {
        String[] pieces = new String[2 + random.nextInt(6)];
        for (int i = 0; i < pieces.length; i++) {
            List<String> words = rules.get(random.nextInt(rules.size())).keywords();
            pieces[i] = i % 2 == 0 ? words.get(random.nextInt(words.size())) : BETWEEN[random.nextInt(BETWEEN.length)];
        }
        StringBuilder text = new StringBuilder();
        for (int i = 1 + random.nextInt(120); i > 0; i--) {
            text.append(pieces[random.nextInt(pieces.length)]);
        }
        return text.toString();
    }

    private int compare(long seed, int texts) {
        Random random = new Random(seed);
        List<Function<Random, Planted>> formats = Planted.formats().stream()
                .filter(format -> format.apply(random).secret().length() < LONG)
                .toList();
        int found = 0;
        for (int i = 0; i < texts; i++) {
            String text = i % 4 == 0 ? nested(random, rules) : text(random, formats);
            if (PlainSearch.isMeantAlike(text)) {
                Search search = new Search(text, SearchDeadline.in(Duration.ofMinutes(1)));
                keywords.scan(search);
                List<FoundSecret> expected = new ArrayList<>(plain.findings(text));
                assertThat(search.findings())
                        .as("-Dfuzz.seed=%s, text %s: %s", seed, i, text)
                        .containsExactlyInAnyOrderElementsOf(expected);
                found += expected.size();
            }
        }
        return found;
    }

    @Test
    void findings_areThoseOfAPlainSearch() {
        assertThat(compare(SEED, 4_000)).isGreaterThan(4_000);
    }

    @Test
    void findings_areThoseOfAPlainSearch_overManyTexts() {
        int found = IntStream.range(0, PARTS)
                .parallel()
                .map(part -> new PlainSearchTest().compare(SEED + part, TEXTS / PARTS))
                .sum();
        assertThat(found).isGreaterThan(TEXTS);
    }
}
