package dev.rlm.runner.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RationalTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"1,000 | 1000", "18.0 | 18", "$5 | 5", "-$5 | -5", "$-5 | -5", " 7 | 7", ".50 | 0.5", "5. | 5"})
    void numbers_asPeopleWriteThem_areEqual(String one, String other) {
        assertThat(Rational.parse(one)).isPresent().isEqualTo(Rational.parse(other));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1/5", "-1.8 billion", "10+John's age", "1,0000", "--5", "-$-5", "NaN", "."})
    void otherText_isNoNumber(String text) {
        assertThat(Rational.parse(text)).isEmpty();
    }
}
