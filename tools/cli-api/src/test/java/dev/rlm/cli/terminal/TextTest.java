package dev.rlm.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Text that anybody may have written, as it is printed; and names that are misspelt. */
class TextTest {
    private static final String ENGLISH = "a\tb\nc";

    @Test
    void controlCharacters_areSeen_andOtherTextStays() {
        assertThat(Printable.text(ENGLISH + "é字😀")).isEqualTo("a    b\ncé字😀");
        assertThat(Printable.text("\u001b[2J\r\u0000\u007f")).isEqualTo("␛[2J␍␀␡");
        assertThat(Printable.text("\u009b1m|\u2028|\u202e|\u2066|\u200f|\u061c|\ud800"))
                .isEqualTo("<U+009B>1m|<U+2028>|<U+202E>|<U+2066>|<U+200F>|<U+061C>|<U+D800>");
        assertThat(Printable.text("a\u200db")).isEqualTo("a\u200db"); // joins emoji
        assertThat(Printable.line(ENGLISH)).isEqualTo("a    b⏎c");
    }

    @Test
    void json_staysTheSameJson() {
        StringWriter out = new StringWriter();
        JsonOutput.print(new PrintWriter(out), generator -> {
            JsonOutput.text(generator, "text", "\u001b\u009b\u202e é");
            JsonOutput.text(generator, "none", null);
            JsonOutput.number(generator, "number", 0.5);
            JsonOutput.number(generator, "nan", Double.NaN);
        });

        assertThat(out.toString().stripTrailing())
                .isEqualToIgnoringCase(
                        "{\"text\":\"\\u001b\\u009b\\u202e é\",\"none\":null,\"number\":0.5,\"nan\":null}");
    }

    @Test
    void misspeltName_hasANearestOne() {
        List<String> known = List.of("RLM_JSONL_DIR", "RLM_OTEL_ENABLED", "OTEL_EXPORTER_OTLP_ENDPOINT");
        assertThat(Spelling.nearest("RLM_JSONL_DRI", known)).contains("RLM_JSONL_DIR"); // swapped
        assertThat(Spelling.nearest("RLM_OTEL_ENABLE", known)).contains("RLM_OTEL_ENABLED"); // left out
        assertThat(Spelling.nearest("RLM_OTEL_ENDPOINT", known))
                .contains("OTEL_EXPORTER_OTLP_ENDPOINT"); // by its words
        assertThat(Spelling.nearest("RLM_TEAPOT", known)).isEmpty();
        assertThat(Spelling.nearest("RLM_JSONL_DIR".repeat(8), known)).isEmpty();
        assertThat(Spelling.suggestion("Completd", List.of("completed", "failed")))
                .isEqualTo(" (did you mean completed?)");
        assertThat(Spelling.suggestion("good", List.of("completed", "failed"))).isEmpty();
    }
}
