package dev.rlm.sinks.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LongContentTest {
    private static final int MAX = 1_048_576;
    private static final int KEPT = 262_144;
    private static final String SECRET = "sesame-opens";
    private static final Pattern MARKER = Pattern.compile("\\[CUT:(\\d+):(\\d+):([0-9a-f]{64})]");

    private static String text(int length) {
        Random random = new Random(1);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }

    private static String sha256(String text) throws Exception {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    private static Content raw(String text) {
        return Content.of(text, UnaryOperator.identity());
    }

    @Test
    void longestText_isKeptWhole() {
        String text = text(MAX);
        assertThat(raw(text).text()).isEqualTo(text);
        assertThat(raw(text).isCut()).isFalse();
        assertThat(Content.redacted(text).text()).isEqualTo(text);
    }

    @Test
    void longerText_keepsItsEnds_andSaysWhatIsMissing() throws Exception {
        String text = text(MAX + 1);
        Content content = raw(text);

        assertThat(content.isCut()).isTrue();
        assertThat(content.text())
                .isEqualTo(text.substring(0, KEPT)
                        + "[CUT:" + (MAX + 1 - 2 * KEPT) + ":" + (MAX + 1) + ":" + sha256(text) + "]"
                        + text.substring(text.length() - KEPT));
        assertThat(content.weight()).isEqualTo(text.length());
        assertThat(Content.redacted(text)).isEqualTo(content);
        assertThat(Content.redacted(content.text())).isEqualTo(content);
    }

    @Tag("thorough")
    @Test
    void secret_acrossAnEdge_doesNotSurviveInPart() {
        String filler = text(MAX + 10);
        for (int edge : new int[] {KEPT, KEPT + 65_536, filler.length() - KEPT, filler.length() - KEPT - 65_536}) {
            for (int at = edge - SECRET.length() - 1; at <= edge + 1; at++) {
                String text = filler.substring(0, at) + SECRET + filler.substring(at + SECRET.length());
                for (String mark : new String[] {"[REDACTED:env:01234567]", "", "*".repeat(20)}) {
                    Content content = Content.of(text, part -> part.replace(SECRET, mark));
                    assertThat(content.text()).doesNotContain("same-", "sesame", "opens", "e-ope");
                    assertWholeMarks(content.text(), at);
                }
            }
        }
    }

    private static void assertWholeMarks(String text, int at) {
        assertThat(text.replace("[REDACTED:env:01234567]", ""))
                .as("secret at %s", at)
                .doesNotContain("[REDACTED", "01234567]");
    }

    @Test
    void manySecrets_shortenWhatIsKept_andNoneSurvivesInPart() {
        String secret = "0123456789".repeat(10);
        String text = "x" + (secret + "yz").repeat(20_000);
        Content content = Content.of(text, part -> part.replace(secret, "[REDACTED:env:ab]"));
        assertThat(content.text().replaceAll("\\[CUT:[^]]*]", "")).doesNotContain("34");
        assertThat(content.isRedacted()).isTrue();
        assertThat(content.isCut()).isTrue();
    }

    @Test
    void whatIsMissing_andWhatIsKept_addUp() {
        String text = (SECRET + text(1_000)).repeat(2_000);
        for (String mark : new String[] {"[REDACTED:env:01234567]", "", "*".repeat(20)}) {
            String cut = Content.of(text, part -> part.replace(SECRET, mark)).text();
            Matcher marker = MARKER.matcher(cut);
            assertThat(marker.find()).isTrue();
            assertThat(Integer.parseInt(marker.group(1))
                            + cut.length()
                            - marker.group().length())
                    .isEqualTo(text.length());
            assertThat(marker.group(2)).isEqualTo(String.valueOf(text.length()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "ab", "abc"})
    void pairs_areNeverCutInTwo_andHalvesAreReplaced(String shift) throws Exception {
        String text = shift + "😀".repeat(MAX) + "\uD83D" + "é\uDE00\u20AC".repeat(100_000);
        String whole = shift + "😀".repeat(MAX) + "\uFFFD" + "é\uFFFD\u20AC".repeat(100_000);
        String cut = raw(text).text();
        assertThat(Content.wellFormed(cut)).isEqualTo(cut);
        assertThat(cut).startsWith(shift + "😀").contains(":" + sha256(whole) + "]");
        String ends = cut.replaceAll("\\[CUT:[^]]*]", "");
        assertThat(ends.substring(0, KEPT - 2)).isEqualTo(whole.substring(0, KEPT - 2));
        assertThat(ends.substring(0, KEPT + 1)).doesNotContain("\uFFFD");
        assertThat(ends).endsWith(whole.substring(whole.length() - KEPT + 2));
    }

    @Test
    void textThatRedactionMakesTooLong_isCutToo() throws Exception {
        Content content = Content.of("x".repeat(MAX), part -> part.replace("x", "xyz"));
        String redacted = "xyz".repeat(MAX);
        assertThat(content.text()).contains(":" + redacted.length() + ":" + sha256(redacted) + "]");
        assertThat(Content.redacted(content.text())).isEqualTo(content);
    }

    @Test
    void redactionThatFailsOnAPart_givesNothingAway() {
        Content content = Content.of(text(2 * MAX), part -> {
            throw new IllegalStateException();
        });
        assertThat(content.text()).isEqualTo(Content.FAILED);
    }

    @Test
    void names_areLimitedLikewise() throws Exception {
        String longest = text(65_536);
        assertThat(Content.limited(longest)).isSameAs(longest);
        String name = longest + "!";
        assertThat(Content.limited(name))
                .isEqualTo(name.substring(0, 16_384)
                        + "[CUT:32769:65537:" + sha256(name) + "]"
                        + name.substring(65_537 - 16_384));
    }
}
