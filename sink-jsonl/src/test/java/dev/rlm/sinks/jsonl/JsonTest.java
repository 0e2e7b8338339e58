package dev.rlm.sinks.jsonl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.jsonl.segment.LineBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
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
    }
}
