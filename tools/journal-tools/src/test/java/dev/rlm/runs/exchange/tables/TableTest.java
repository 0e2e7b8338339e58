package dev.rlm.runs.exchange.tables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Recorded;
import dev.rlm.sinks.schema.FieldKind;
import dev.rlm.sinks.schema.RecordSchema;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A field that is declared has a column, though nobody has named it. */
class TableTest {
    @Test
    void declaredFields_followTheNamedColumns() {
        Map<String, FieldKind> columns = ExportTable.columns(
                List.of(Stream.of("run_id", "text")),
                Set.of("left_out"),
                Stream.of(RecordSchema.of(Toy.class).fields()));
        assertThat(columns.keySet()).containsExactly("run_id", "text", "added_id");
        assertThat(columns.values()).containsExactly(FieldKind.ID, FieldKind.TEXT, FieldKind.COUNT);

        Map<String, @Nullable Object> values = new HashMap<>();
        ExportTable.put(values, RecordSchema.of(Toy.class).fields(), new Toy(Content.redacted("t"), "x", 7));
        assertThat(values).containsEntry("added_id", 7).containsEntry("text", Content.redacted("t"));
    }

    /** A record as events are declared. */
    public record Toy(
            Content text,
            String leftOut,
            @Recorded(name = "added_id") int added) {}
}
