package dev.rlm.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CleanTextsTest {
    private final List<String> looked = new ArrayList<>();
    private final CleanTexts texts = new CleanTexts(text -> {
        looked.add(text);
        return text.replace("secret", "[REDACTED:x]");
    });

    @Test
    void longText_isLookedThroughOnce_unlessItHoldsASecret() {
        String clean = "a word ".repeat(1_000);
        String dirty = clean + "secret";
        for (int i = 0; i < 3; i++) {
            assertThat(texts.apply(String.valueOf(clean.toCharArray()))).isEqualTo(clean);
            assertThat(texts.apply(dirty)).isEqualTo(clean + "[REDACTED:x]");
        }
        assertThat(looked).containsExactly(clean, dirty, dirty, dirty);
    }

    @Test
    void textsBeyondTheRoom_areLookedThroughAgain_theEldestFirst() {
        String half = "x".repeat((int) (CleanTexts.MOST / 2));
        texts.apply("1" + half);
        texts.apply("2" + half.substring(1));
        texts.apply("3" + half.substring(2));
        looked.clear();
        texts.apply("3" + half.substring(2));
        assertThat(looked).isEmpty();
        texts.apply("1" + half);
        assertThat(looked).hasSize(1);
    }
}
