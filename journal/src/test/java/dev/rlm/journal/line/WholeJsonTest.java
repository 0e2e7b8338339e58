package dev.rlm.journal.line;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WholeJsonTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-0",
                "7",
                "-12",
                "2147483648",
                "999999999999999999",
                "-9223372036854775808",
                "123456789012345678901234567890",
                "0.1",
                "-0.5",
                "-0.0",
                "0.30000000000000004",
                "123456789.123456789",
                "9007199254740993.0",
                "12.5e+3",
                "-1E-9",
                "1.7976931348623157e308",
                "4.9e-324",
                "true",
                "[ ]",
                "[1,[],{\"a\":null}, false ]",
                "{ \"a\" : [ true , {} ] , \"b\\n\":2 }",
                "\"\"",
                "\"plain text that is somewhat longer than eight bytes\"",
                "\"é € 😀\"",
                "\"\\u0041\\u00e9\\ud83d\\ude00\\b\\f\\n\\r\\t\\/\\\"\\\\\"",
                "\"a\\\\\"",
                "\"é\\n\\u20AC\""
            })
    void value_isThatOfAnotherReader(String json) throws IOException {
        String line = "{\"type\":\"x\",\"value\":" + json + ",\"last\":1}";
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        Map<?, ?> expected = (Map<?, ?>) Objects.requireNonNull(StrictJson.rounded(StrictJson.parse(line)));
        assertThat(StrictJson.rounded(Fields.parse(bytes, 0, bytes.length).values()))
                .isEqualTo(expected);
        Map<?, ?> one = fields(bytes).values(); // each where it stands
        assertThat(StrictJson.rounded(one.get("value"))).isEqualTo(expected.get("value"));
        assertThat(StrictJson.rounded(one)).isEqualTo(expected);
    }

    @Test
    void field_isFound_inWhateverOrderTheyAreAskedFor() {
        byte[] bytes = "{\"type\":\"x\",\"b\":1 , \"a\" : \"two\",\"none\":null}".getBytes(StandardCharsets.UTF_8);
        Map<?, ?> fields = fields(bytes).values();
        assertThat(fields.get("a")).isEqualTo("two");
        assertThat(fields.get("type")).isEqualTo("x");
        assertThat(fields.get("b")).isEqualTo(1);
        assertThat(fields.containsKey("none")).isTrue();
        assertThat(fields.get("none")).isNull();
        assertThat(fields.containsKey("c")).isFalse();
        assertThat(fields.get("c")).isNull();
    }

    private static Fields fields(byte[] bytes) {
        return Objects.requireNonNull(
                        LineBlock.ofOne(bytes, 0, bytes.length, 0).lines().get(0))
                .read();
    }
}
