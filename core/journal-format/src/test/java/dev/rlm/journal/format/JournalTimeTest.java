package dev.rlm.journal.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.format.segment.LineBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JournalTimeTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-03-01T10:20:30.000000000Z",
                "2026-03-01T10:20:30.999999999Z",
                "2026-03-01T10:20:31.000000001Z",
                "1969-12-31T23:59:59.120000000Z",
                "0000-01-01T00:00:00.000000000Z",
                "+12026-03-01T10:20:30.500000000Z"
            })
    void time_isWrittenWithNineDigits_andReadBack(String text) {
        Instant time = Instant.parse(text);
        LineBuffer line = new LineBuffer();
        new JsonEncoder(line).time(time);
        assertThat(line.toString(StandardCharsets.UTF_8)).isEqualTo("\"" + text + "\"");
        assertThat(JournalTime.parse(text)).isEqualTo(time);
        assertThat(JournalTime.parse(text)).as("in the second of the last").isEqualTo(time);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-03-01T10:20:30.000000007Z",
                "2026-03-01T10:20:30Z",
                "2026-03-01T10:20:30.5Z",
                "2026-03-01T10:20:30.000000007z",
                "2026-03-01T10:20:30.000000007+00:00",
                "2026-03-01T10:20:30.00000000Z",
                "2026-03-01T10:20:30.0000000070Z",
                "2026-03-01T10:20:30.00000000/Z",
                "2026-03-01T10:20:30.00000000:Z",
                "2026-03-01T10:20:30.-00000007Z",
                "2026-03-01T10:20:30.00000000\u0667Z",
                "2026-03-01T10:20:30.000000007Z ",
                "2026-03-01T10:20:30.",
                "+1000000000-12-31T23:59:59.999999999Z",
                "-1000000000-01-01T00:00:00.000000000Z",
                ""
            })
    void time_isReadAsTheLibraryReadsIt(String text) {
        JournalTime.parse("2026-03-01T10:20:30.000000001Z"); // so that the next one may lie in the same second
        assertThat(outcome(() -> JournalTime.parse(text))).isEqualTo(outcome(() -> Instant.parse(text)));
    }

    private static Object outcome(Supplier<Instant> reading) {
        try {
            return reading.get();
        } catch (DateTimeParseException e) {
            return "refused";
        }
    }
}
