package dev.rlm.journal.line;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.JournalJson;
import dev.rlm.sinks.jsonl.SampleEvents;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;

class JsonSyntaxTest {
    private static final int MUTATIONS = 200_000;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"a\":1}",
                " {\"a\":1}",
                "{ \"a\" : [ ] , \"b\":{}}",
                "{\"a\":[1,-0,0.5,1e9,1E-9,-12.5e+3,true,false,null,\"\"]}",
                "{\"a\":01}",
                "{\"a\":1.}",
                "{\"a\":.5}",
                "{\"a\":+1}",
                "{\"a\":-}",
                "{\"a\":1e}",
                "{\"a\":NaN}",
                "{\"a\":nul}",
                "{\"a\":nulll}",
                "{\"a\":1 2}",
                "{\"a\":[1,]}",
                "{\"a\":[,1]}",
                "{\"a\":1,}",
                "{\"a\"}",
                "{\"a\":}",
                "{a:1}",
                "{\"a\":[}]",
                "{\"a\":\"\\u00e9\\ud83d\\n\\/\"}",
                "{\"a\":\"\\u00g9\"}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\t\"}",
                "{\"a\":\"\0\"}",
                "{\"a\":\"é ü € 😀\"}",
                "[1]",
                "1",
                ""
            })
    void object_isWhole_whereTheParserSaysSo(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        assertThat(isWhole(bytes)).isEqualTo(text.startsWith("{") && isParsed(bytes));
    }

    @Test
    void depth_isThatOfTheParser() {
        for (int depth : new int[] {64, 499, 500, 501}) {
            byte[] bytes =
                    ("{\"a\":" + "[".repeat(depth - 1) + "]".repeat(depth - 1) + "}").getBytes(StandardCharsets.UTF_8);
            assertThat(isWhole(bytes)).as("depth %s", depth).isEqualTo(isParsed(bytes));
        }
    }

    @Test
    void end_isThatOfTheObject_whateverStandsBehindIt() {
        byte[] bytes = "{\"a\":{\"b\":\"}\"}}\0\0{".getBytes(StandardCharsets.UTF_8);
        assertThat(JsonSyntax.endOfObject(bytes, 0, bytes.length)).isEqualTo(15);
        assertThat(JsonSyntax.endOfObject(bytes, 0, 14)).isNegative();
    }

    @Tag("thorough")
    @Test
    void line_thatIsBroken_isBrokenForTheParserToo() {
        List<byte[]> lines = SampleEvents.rich("run", "text \"é\u20ac😀\\\n").stream()
                .map(event -> JournalJson.event(event).getBytes(StandardCharsets.UTF_8))
                .toList();
        Random random = new Random(1);
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] line = lines.get(random.nextInt(lines.size())).clone();
            int at = random.nextInt(line.length);
            switch (random.nextInt(3)) {
                case 0 -> line[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> line[at] = line[random.nextInt(line.length)];
                default -> line = Arrays.copyOf(line, at);
            }
            if (isWhole(line) != (line.length > 0 && line[0] == '{' && isParsed(line))) {
                assertThat(new String(line, StandardCharsets.ISO_8859_1))
                        .as("whole: %s", isWhole(line))
                        .isNull();
            }
        }
    }

    private static boolean isWhole(byte[] bytes) {
        return bytes.length > 0 && JsonSyntax.endOfObject(bytes, 0, bytes.length) == bytes.length;
    }

    /** The parser passes over some bytes that are not UTF-8. */
    private static boolean isParsed(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
        } catch (CharacterCodingException e) {
            return false;
        }
        try (JsonParser json = LineParser.parser(bytes, 0, bytes.length)) {
            boolean any = false;
            while (json.nextToken() != null) {
                any = true;
                if (json.currentToken().isScalarValue()) {
                    json.getString();
                }
            }
            return any;
        } catch (JacksonException e) {
            return false;
        }
    }
}
