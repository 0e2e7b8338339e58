package dev.rlm.benchmarks.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.redaction.Redaction;
import dev.rlm.sinks.redaction.RedactionOptions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KindTest {
    @ParameterizedTest
    @EnumSource(Kind.class)
    void texts_haveTheirLengths_andFollowFromTheSeed(Kind kind) {
        List<String> texts = kind.texts(1);
        assertThat(texts).hasSizeGreaterThan(500);
        assertThat(texts.stream().mapToInt(String::length).sum()).isEqualTo(RedactedText.KILOBYTES << 10);
        assertThat(texts.stream().map(String::length)).containsOnly(200, 1_000, 8_000);
        assertThat(kind.texts(1)).isEqualTo(texts).isNotEqualTo(kind.texts(2));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void ordinaryTexts_holdNoSecret(Kind kind) {
        Redaction redaction = new Redaction(RedactionOptions.of(true, Set.of(), List.of()));
        if (kind.isOrdinary()) {
            assertThat(kind.texts(1))
                    .allSatisfy(text -> assertThat(redaction.text(text)).isEqualTo(text));
        }
    }
}
