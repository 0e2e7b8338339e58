package dev.rlm.sinks.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds redaction against what other scanners for secrets find. */
class OutsideTest {
    private static final int TIMES = 5;

    static Stream<String> patterns() throws IOException {
        try (InputStream file = Objects.requireNonNull(OutsideTest.class.getResourceAsStream("outside.txt"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"));
        }
    }

    @ParameterizedTest
    @MethodSource("patterns")
    void secretOfAnotherScanner_isFound_asTheFileSays(String pattern) {
        Random random = new Random(17);
        Redaction redaction = Redactions.plain();
        for (int i = 0; i < TIMES; i++) {
            String text = Planted.of("", pattern.substring(2), random).secret();
            assertThat(redaction.text(text).contains("[REDACTED:")).as(text).isEqualTo(pattern.startsWith("+"));
        }
    }
}
