package dev.rlm.sinks.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.Recorded;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunEvent;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The declarations of events, and one of our own. */
class EventSchemaTest {
    @ParameterizedTest
    @EnumSource(EventType.class)
    void type_isThatOfItsEvents(EventType type) {
        EventSchema schema = EventSchema.of(type);
        assertThat(EventSchema.typeOf(schema.record().type())).isEqualTo(type);
        assertThat(RunEvent.class.isAssignableFrom(schema.record().type())).isEqualTo(type.isOfRun());
        assertThat(EventType.of(type.label())).isEqualTo(type);
    }

    @ParameterizedTest
    @EnumSource(EventType.class)
    void names_ofALine_areEachGivenOnce(EventType type) {
        List<String> names =
                EventSchema.of(type).fields().stream().map(EventField::name).toList();
        assertThat(names).doesNotHaveDuplicates().allMatch(name -> name.matches("[a-z][a-z0-9_]*"));
    }

    @ParameterizedTest
    @EnumSource(EventType.class)
    void fieldOfALaterVersion_mayBeMissing(EventType type) {
        assertThat(EventSchema.of(type).fields()).noneMatch(field -> field.since() > 1 && field.isMandatory());
    }

    @Test
    void declaration_followsFromNamesTypesAndAnnotations() {
        assertThat(RecordSchema.of(Toy.class).fields())
                .extracting(EventField::toString)
                .containsExactly(
                        "derived: FLAG",
                        "plain_name: LABEL",
                        "other: ID",
                        "text: TEXT",
                        "count: COUNT",
                        "number: NUMBER",
                        "word: CHOICE",
                        "values: VALUES",
                        "parts: OBJECTS",
                        "inner: LABEL");
    }

    @Test
    void values_areReadAndMade() {
        Toy toy = new Toy("a", null, Content.redacted("t"), 3, 0.5, Outcome.FAILED, Map.of("k", 1), List.of(), null);
        RecordSchema schema = RecordSchema.of(Toy.class);
        assertThat(field("count").get(toy)).isEqualTo(3);
        assertThat(field("number").get(toy)).isEqualTo(0.5);
        assertThat(field("plain_name").get(toy)).isEqualTo("a");
        assertThat(field("inner").get(toy)).isNull();
        assertThat(field("word").choices()).contains("completed", "failed");
        assertThat(field("word").constant("failed")).isEqualTo(Outcome.FAILED);
        assertThat(schema.make(
                        schema.components().stream().map(each -> each.get(toy)).toArray()))
                .isEqualTo(toy);
    }

    @Test
    void absence_isDeclared() {
        assertThat(field("other").isMandatory()).isFalse();
        assertThat(field("plain_name").isMandatory()).isTrue();
        assertThat(field("count").absent()).isEqualTo(0);
        assertThat(field("count").isMandatory()).isFalse();
        assertThat(field("count").missing()).isEqualTo(0);
        assertThat(field("number").since()).isEqualTo(2);
        assertThat(field("number").isMandatory()).isFalse();
        assertThat(field("plain_name").isRequired()).isTrue();
        assertThat(field("other").standard()).isEqualTo("o");
    }

    private static EventField field(String name) {
        return RecordSchema.of(Toy.class).fields().stream()
                .filter(field -> field.name().equals(name))
                .findAny()
                .orElseThrow();
    }

    @Test
    void sealedEvents_areAllTypes() {
        Set<Class<?>> events = Set.copyOf(Stream.of(EventType.values())
                .<Class<?>>map(type -> EventSchema.of(type).record().type())
                .toList());
        assertThat(events).hasSameSizeAs(EventType.values());
    }

    /** A record that declares a field of nearly every kind. */
    public record Toy(
            @Recorded(required = true) String plainName,

            @Recorded(id = true, name = "other", standard = "o") @Nullable
            String another,

            Content text,
            @Recorded(absent = "0", min = 0) int count,
            @Recorded(since = 2) double number,
            Outcome word,
            Map<String, Object> values,
            List<RewardComponent> parts,
            @Recorded(inline = true) @Nullable Inner beside) {
        /** Told by the components. */
        @Recorded
        public boolean derived() {
            return count > 0;
        }
    }

    /** A record whose field stands beside those of its owner. */
    public record Inner(String inner) {}
}
