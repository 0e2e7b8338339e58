package dev.rlm.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.event.Content;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/** What is read and refused, and what comes out of what was read. */
class JsonTest {
    static List<Json> all() {
        return List.of(Json.REPLY, Json.RECORD, Json.FILE);
    }

    @ParameterizedTest
    @MethodSource("all")
    void numbersOfPython_areRead(Json json) {
        ObjectNode read = json.object("{\"a\":NaN,\"b\":Infinity,\"c\":-Infinity,\"d\":-0.0,\"e\":1e308}");

        assertThat(Json.values(read))
                .isEqualTo(Map.of(
                        "a", Double.NaN,
                        "b", Double.POSITIVE_INFINITY,
                        "c", Double.NEGATIVE_INFINITY,
                        "d", -0.0,
                        "e", 1e308));
        assertThat(Json.text(read))
                .isEqualTo("{\"a\":\"NaN\",\"b\":\"Infinity\",\"c\":\"-Infinity\",\"d\":-0.0,\"e\":1.0E308}");
    }

    @ParameterizedTest
    @MethodSource("all")
    void wholeNumbers_keepAllDigits(Json json) {
        String digits = "{\"a\":9223372036854775808,\"b\":9223372036854775807,\"c\":-1}";

        assertThat(Json.text(json.object(digits))).isEqualTo(digits);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "[]|no JSON object",
                "null|no JSON object",
                "{} {}|more after the JSON object",
                "{\"a\":1e400}|the number is too large for a double",
                "{\"a\":[-1.5e999]}|the number is too large for a double",
                "{\"a\":1%s}|the number is too large for a double",
            })
    void whatIsNoObject_isRefused(String text, String reason) {
        for (Json json : all()) {
            assertThatThrownBy(() -> json.object(text.replace("%s", "0".repeat(400))))
                    .isInstanceOfSatisfying(
                            JacksonException.class,
                            e -> assertThat(Json.reason(e)).isEqualTo(reason));
        }
    }

    @Test
    void nameThatOccursTwice_isRefusedInARecord() {
        assertThatThrownBy(() -> Json.RECORD.object("{\"a\":1,\"a\":2}")).isInstanceOf(JacksonException.class);
        assertThatThrownBy(() -> Json.FILE.object("{\"a\":1,\"a\":2}")).isInstanceOf(JacksonException.class);
        assertThat(Json.text(Json.REPLY.object("{\"a\":1,\"a\":2}"))).isEqualTo("{\"a\":2}");
    }

    @Test
    void depth_isBounded() {
        String deep = "{\"a\":" + "[".repeat(100) + "]".repeat(100) + "}";

        assertThatThrownBy(() -> Json.RECORD.object(deep)).isInstanceOf(JacksonException.class);
        assertThat(Json.text(Json.REPLY.object(deep))).isEqualTo(deep);
        assertThat(Json.text(Json.FILE.object(deep))).isEqualTo(deep);
    }

    @Test
    void memory_isAskedForEachPart() {
        List<Integer> sizes = new ArrayList<>();

        Json.RECORD.object("{\"a\":[1,null,{}]}", sizes::add);

        assertThat(sizes).containsExactly(320, 192, 320, 32, 32, 320);
    }

    @Test
    void memoryThatIsRefused_endsTheReading() {
        List<Integer> sizes = new ArrayList<>();

        assertThatThrownBy(() -> Json.RECORD.object("{\"a\":[1,1,1,1]}", size -> {
                    sizes.add(size);
                    if (size == 32) {
                        throw new IllegalStateException("full");
                    }
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("full");
        assertThat(sizes).hasSize(4);
    }

    @Test
    void halfASurrogatePair_isReplaced() {
        assertThat(Json.bytes(Map.of("a", "x\uD83D")))
                .isEqualTo("{\"a\":\"x\uFFFD\"}".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void fields_areSorted_atEachLevel() {
        String text = "{\"b\":[{\"d\":1.50,\"c\":null}],\"a\":{\"ä\":\"\uD83D\",\"z\":2}}";

        assertThat(Json.sorted(Json.FILE.object(text)))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("{\"a\":{\"z\":2,\"ä\":\"\uFFFD\"},\"b\":[{\"c\":null,\"d\":1.5}]}");
    }

    @Test
    void content_isItsText() {
        assertThat(Json.text(Map.of("a", List.of(Content.redacted("x"))))).isEqualTo("{\"a\":[\"x\"]}");
    }

    @Test
    void treeOfValues_isWhatWasGiven() {
        Map<String, Object> values = Map.of("a", Arrays.asList(1, null, "x", 2.5, true, Map.of()));

        assertThat(Json.values(Json.tree(values))).isEqualTo(values);
    }

    @Test
    void number_isWhatAValueIs_orWhatItsTextNames() {
        ObjectNode read = Json.RECORD.object(
                "{\"a\":-0.5,\"b\":\"-Infinity\",\"c\":\"1\",\"d\":null,\"e\":NaN,\"f\":1" + "0".repeat(308) + "}");

        assertThat(Json.number(read.path("a"))).isEqualTo(-0.5);
        assertThat(Json.number(read.path("b"))).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(Json.number(read.path("c"))).isNull();
        assertThat(Json.number(read.path("d"))).isNull();
        assertThat(Json.number(read.path("e"))).isNaN();
        assertThat(Json.number(read.path("f"))).isEqualTo(1e308);
        assertThat(Json.number(read.path("g"))).isNull();
    }

    @Test
    void partOfBytes_isRead() {
        byte[] bytes = "xx{\"ä\":1}yy".getBytes(StandardCharsets.UTF_8);

        assertThat(Json.RECORD.object(bytes, 2, bytes.length - 4).path("ä").intValue())
                .isEqualTo(1);
    }
}
