package dev.rlm.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.Recorded;
import dev.rlm.sinks.schema.RecordSchema;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A line of fields that are declared here alone is read as strictly as others. */
class DeclaredLineTest {
    private static final Shape SHAPE =
            Shape.of("a toy", RecordSchema.of(Toy.class).fields());

    @Test
    void fields_areTaken_andThoseLeftOutHaveTheirStandard() throws Exception {
        Map<String, Object> read = SHAPE.read(
                Json.tree(Map.of("name", "n", "word", "failed", "note", "secret")), new ValueReader(text -> "[mark]"));
        assertThat(read)
                .containsOnly(
                        Map.entry("name", "[mark]"),
                        Map.entry("kind", "plain"),
                        Map.entry("text", ""),
                        Map.entry("word", "failed"),
                        Map.entry("tags", Map.of()),
                        Map.entry("numbers", List.of()),
                        Map.entry("note", "[mark]"));
    }

    @Test
    void fieldOfAnotherKind_orThatIsMissing_isRefused() {
        assertRefused(Map.of(), "a toy needs name, a text");
        assertRefused(Map.of("name", "n", "count", 1.5), "count must be a whole number from 0 to 2147483647, not 1.5");
        assertRefused(
                Map.of("name", "n", "word", "lost"),
                "word must be one of completed, failed, aborted, abandoned, not \"lost\"");
        assertRefused(Map.of("name", "n", "nmae", "m"), "a toy has no field 'nmae' (did you mean name?)");
    }

    private static void assertRefused(Map<String, Object> object, String message) {
        assertThatThrownBy(() -> SHAPE.read(Json.tree(object), new ValueReader(text -> text)))
                .isInstanceOf(LineRefusedException.class)
                .hasMessageStartingWith(message);
    }

    /** A record as events are declared. */
    public record Toy(
            @Recorded(required = true) String name,
            @Recorded(standard = "plain") String kind,
            Content text,
            int count,
            Outcome word,
            Map<String, String> tags,
            List<Integer> numbers,
            @Nullable Content note) {}
}
