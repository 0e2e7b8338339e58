package dev.rlm.benchmarks.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.redaction.Redaction;
import dev.rlm.sinks.redaction.RedactionOptions;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
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

    @Test
    void textsOfSteps_areVaried() {
        List<String> texts =
                IntStream.range(0, 1_008).mapToObj(VariedTexts::code).toList();
        assertThat(texts).doesNotHaveDuplicates();
        assertThat(texts.stream().map(String::length)).containsOnly(200, 1_000, 8_000);
        assertThat(VariedTexts.code(1_008)).isEqualTo(texts.get(0));
        assertThat(Set.of(VariedTexts.code(1), VariedTexts.output(1), VariedTexts.observation(1)))
                .hasSize(3);
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
