package dev.rlm.runs.search;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.EventSchema;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Texts of an event as they were recorded, each with the place where it stands: of all its fields that hold text, as their
 * declarations say, and of what is nested in them. Ids, numbers, words of a fixed choice and the names of fields, tags and
 * parameters are none, nor what every line repeats of its run.
 */
final class EventTexts {
    private final BiConsumer<String, String> taker;

    private EventTexts(BiConsumer<String, String> taker) {
        this.taker = taker;
    }

    /** Hands over place and text, in the order of the fields. */
    static void of(RunEvent event, BiConsumer<String, String> taker) {
        new EventTexts(taker).fields("", EventSchema.of(event.type()).fields(), (Record) event);
    }

    private void fields(String before, List<EventField> fields, Record record) {
        for (EventField field : fields) {
            Object value = field.get(record);
            if (value != null) {
                field(before + field.name(), field, value);
            }
        }
    }

    private void field(String place, EventField field, Object value) {
        switch (field.kind()) {
            case LABEL, TEXT, TEXTS, VALUES -> value(place, value);
            case OBJECT -> fields(place + ".", field.object().fields(), (Record) value);
            case OBJECTS -> {
                List<?> records = (List<?>) value;
                for (int i = 0; i < records.size(); i++) {
                    fields(place + "[" + i + "].", field.object().fields(), (Record) records.get(i));
                }
            }
            case OBJECTS_BY_NAME ->
                ((Map<?, ?>) value)
                        .forEach((name, each) ->
                                fields(place + "." + name + ".", field.object().fields(), (Record) each));
            case ID, FILE, WHOLE, COUNT, NUMBER, FLAG, CHOICE, TIME, WHOLES, DECIMALS, NUMBERS, COUNTS -> {
                // no text
            }
        }
    }

    private void value(String place, @Nullable Object value) {
        if (value instanceof Content content) {
            taker.accept(place, content.text());
        } else if (value instanceof String text) {
            taker.accept(place, text);
        } else if (value instanceof Map<?, ?> map) {
            map.forEach((name, each) -> value(place + "." + name, each));
        } else if (value instanceof List<?> list) {
            for (int i = 0; i < list.size(); i++) {
                value(place + "[" + i + "]", list.get(i));
            }
        }
    }
}
