package dev.rlm.journal.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.format.segment.LineBuffer;
import dev.rlm.sinks.event.Content;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Holds what is written against what Jackson's generator writes, and what its parser reads. */
class JsonEncoderTest {
    private static final JsonFactory JACKSON =
            JsonFactory.builder().characterEscapes(new UnseenCharacters()).build();
    private static final int FUZZED = 100_000;

    private static String encoded(Consumer<JsonEncoder> value) {
        LineBuffer buffer = new LineBuffer();
        value.accept(new JsonEncoder(buffer));
        return buffer.toString(StandardCharsets.UTF_8);
    }

    private static String jackson(Consumer<JsonGenerator> value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = JACKSON.createGenerator(ObjectWriteContext.empty(), bytes)) {
            value.accept(json);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static void check(String text) {
        String encoded = encoded(json -> json.string(text));
        assertThat(encoded).isEqualTo(jackson(json -> json.writeString(text)));
        try (JsonParser json = JACKSON.createParser(ObjectReadContext.empty(), encoded)) {
            json.nextToken();
            assertThat(json.getString()).isEqualTo(text);
        }
    }

    private static void check(double number) {
        assertThat(encoded(json -> json.number(number))).isEqualTo(jackson(json -> json.writeNumber(number)));
    }

    private static void check(long number) {
        assertThat(encoded(json -> json.number(number))).isEqualTo(Long.toString(number));
    }

    @Test
    void everyCharacter_isWrittenAsByJackson_andReadBack() {
        for (int point = 0; point <= Character.MAX_CODE_POINT; point += 16) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 16; i++) {
                text.append('a').appendCodePoint(point + i);
            }
            check(Content.wellFormed(text.toString()));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void texts_areWrittenAsByJackson_andReadBack(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int[] bounds = {0x20, 0x80, 0x100, 0x800, 0x2100, 0x10000, 0x110000};
        for (int i = 0; i < FUZZED / 100; i++) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(i % 100 == 0 ? 20_000 : 200);
            while (text.length() < length) {
                text.appendCodePoint(random.nextInt(bounds[random.nextInt(bounds.length)]));
            }
            check(Content.wellFormed(text.toString()));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "\"", "\\", "\n", "\u0000", "\u001f", "\u007f", "\u0080", "\u00ad", "é", "ÿ", "Ā", "ǿ", "字", "😀",
                "\uffff"
            })
    void character_atAnyPlace_isWrittenAsByJackson_andReadBack(String character) {
        for (int before = 0; before < 70; before++) {
            for (int behind = 0; behind < 20; behind++) {
                check("a".repeat(before) + character + "b".repeat(behind));
                check("é".repeat(before) + character + "字".repeat(behind));
                check("x".repeat(behind) + character.repeat(before % 9) + "~ ".repeat(behind) + character);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4_095, 4_096, 4_097, 8_192})
    void pair_whereRoomIsMadeAnew_staysWhole(int before) {
        check("a".repeat(before) + "😀" + "\u0001".repeat(before) + "\u2028".repeat(before));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "run-1", "Aa", "BB", "a \"word\"\n", "Wörter", "字😀", "a\ud800", "\udc00b"})
    void word_isWrittenAsOtherText_howeverOftenItComes(String word) {
        for (String text :
                List.of(word, word.repeat(9), word + "x".repeat(64 - word.length()), word + "x".repeat(64))) {
            String expected = encoded(json -> json.string(Content.wellFormed(text)));
            for (int i = 0; i < 3; i++) {
                LineBuffer line = new LineBuffer();
                JsonLine.append(line, json -> json.put("name", text));
                assertThat(line.toString(StandardCharsets.UTF_8)).isEqualTo("{\"name\":" + expected + "}\n");
            }
        }
    }

    @Test
    void wholeNumbers_areWrittenAsJavaWritesThem() {
        SplittableRandom random = new SplittableRandom(4);
        for (long power = 1; power > 0 && power < Long.MAX_VALUE / 10; power *= 10) {
            check(power - 1);
            check(power);
            check(-power);
        }
        check(Long.MAX_VALUE);
        check(Long.MIN_VALUE);
        for (int i = 0; i < FUZZED; i++) {
            check(random.nextLong() >> random.nextInt(Long.SIZE));
        }
    }

    @Tag("thorough")
    @Test
    void numbers_areWrittenAsByJackson() {
        for (double number : new double[] {
            0.0,
            -0.0,
            0.001,
            0.0009,
            0.0005,
            0.0015,
            1,
            9_999_999.5,
            1e7,
            -1e7,
            1e22,
            Double.MIN_VALUE,
            Double.MAX_VALUE,
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY
        }) {
            check(number);
        }
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < FUZZED; i++) {
            check(Double.longBitsToDouble(random.nextLong()));
            check(random.nextInt(-100_000_000, 100_000_000) / 10_000.0);
            check(Math.nextUp(random.nextInt(100_000) / 1_000.0));
            check(random.nextInt(-2_000, 2_000) * 0.1);
        }
    }
}
