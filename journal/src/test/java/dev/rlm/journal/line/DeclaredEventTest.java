package dev.rlm.journal.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import dev.rlm.journal.JournalJson;
import dev.rlm.journal.format.EventWriter;
import dev.rlm.journal.format.JsonLine;
import dev.rlm.journal.format.segment.LineBuffer;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.Recorded;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.SampleEvents;
import dev.rlm.sinks.schema.EventSchema;
import dev.rlm.sinks.schema.RecordSchema;
import dev.rlm.sinks.testkit.Events;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A type of events that is declared here alone is written, read and in the schema, and so is a field that is added to it. */
class DeclaredEventTest {
    private static final Toy FULL = new Toy(
            "n",
            "id-1",
            Content.redacted("some \"text\""),
            3,
            -0.5,
            true,
            Outcome.FAILED,
            Map.of("k", "v"),
            List.of(new RewardComponent("c", 0.5, 2, "s")),
            "added");
    private static final Toy BARE =
            new Toy("n", null, Content.EMPTY, 0, Double.NaN, false, Outcome.COMPLETED, Map.of(), List.of(), null);

    @Test
    void fields_areWrittenByTheirNames_andWhatIsAbsentIsLeftOut() {
        assertThat(line(FULL))
                .isEqualTo(
                        "{\"name\":\"n\",\"other_id\":\"id-1\",\"text\":\"some \\\"text\\\"\",\"count\":3,"
                                + "\"number\":-0.5,\"flag\":true,\"word\":\"failed\",\"tags\":{\"k\":\"v\"},"
                                + "\"parts\":[{\"name\":\"c\",\"value\":0.5,\"weight\":2.0,\"unit\":\"s\"}],\"added\":\"added\"}");
        assertThat(line(BARE)).isEqualTo("{\"name\":\"n\",\"text\":\"\",\"flag\":false,\"word\":\"completed\"}");
    }

    @Test
    void linesThatAreWrittenByCallsOfTheirOwn_areThoseOfTheDeclaration() {
        List<RunEvent> events = Stream.of(
                        Events.full("a"), Events.minimal("b"), SampleEvents.rich("c", "x"), SampleEvents.bare("d"))
                .flatMap(List::stream)
                .filter(RunEvent.class::isInstance)
                .map(RunEvent.class::cast)
                .toList();
        assertThat(events).hasSizeGreaterThan(30).allSatisfy(event -> {
            LineBuffer declared = new LineBuffer();
            JsonLine.append(declared, line -> EventWriter.writeDeclared(event, line));
            assertThat(JournalJson.event(event))
                    .isEqualTo(declared.toString(StandardCharsets.UTF_8).stripTrailing());
        });
    }

    @Test
    void line_isReadAsItWasWritten() {
        assertThat(read(line(FULL))).isEqualTo(FULL);
        assertThat(read(line(BARE))).isEqualTo(BARE);
    }

    @Test
    void line_withoutAField_isDamaged_unlessALaterVersionBroughtIt() {
        assertThat(read(line(FULL).replace(",\"added\":\"added\"", "")).added()).isNull();
        assertThatThrownBy(() -> read(line(FULL).replace("\"name\":\"n\",", "")))
                .hasMessage("no field name");
    }

    @Test
    void schema_hasItsFields() {
        RecordSchema record = RecordSchema.of(Toy.class);
        JsonObject definition =
                DeclaredSchema.definition(new EventSchema(EventType.HEARTBEAT, record, record.fields()));
        assertThat(definition.getAsJsonObject("properties").keySet())
                .contains("name", "other_id", "text", "count", "number", "flag", "word", "tags", "parts", "added");
        assertThat(definition.getAsJsonArray("required").toString())
                .contains("word")
                .doesNotContain("added", "count");
    }

    private static String line(Toy toy) {
        LineBuffer buffer = new LineBuffer();
        JsonLine.append(buffer, line -> EventWriter.record(toy, line));
        return buffer.toString(StandardCharsets.UTF_8).stripTrailing();
    }

    private static Toy read(String line) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        return (Toy) Fields.parse(bytes, 0, bytes.length).record(RecordSchema.of(Toy.class));
    }

    /** An event as others are declared; its last field came later. */
    public record Toy(
            String name,

            @Recorded(name = "other_id", id = true) @Nullable
            String other,

            Content text,
            @Recorded(absent = "0", min = 0) int count,
            @Recorded(absent = "NaN") double number,
            boolean flag,
            Outcome word,
            Map<String, String> tags,
            List<RewardComponent> parts,
            @Recorded(since = 2) @Nullable String added) {
        public Toy {
            tags = tags == null ? Map.of() : tags;
            parts = parts == null ? List.of() : parts;
        }
    }
}
