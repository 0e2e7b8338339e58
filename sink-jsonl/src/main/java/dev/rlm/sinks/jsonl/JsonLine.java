package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Plain;
import dev.rlm.sinks.jsonl.segment.LineBuffer;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** One JSON object on a line of its own, while it is written. */
final class JsonLine {
    private final JsonGenerator json;

    private JsonLine(JsonGenerator json) {
        this.json = json;
    }

    /** Appends the object that is filled in, and a line feed; nothing if the filling throws. */
    static void append(LineBuffer buffer, Consumer<JsonLine> filling) {
        int before = buffer.size();
        boolean filled = false;
        try (JsonGenerator json = Json.generator(buffer)) {
            json.writeStartObject();
            filling.accept(new JsonLine(json));
            json.writeEndObject();
            filled = true;
        } finally {
            if (!filled) {
                buffer.truncate(before);
            }
        }
        buffer.write('\n');
    }

    /**
     * A field: text, a {@link Content}, a number, a boolean, a time, or a list or map of such, as {@link Plain} makes them.
     * What is absent, and an empty list or map, is left out. Text that is no {@code Content} is
     * {@linkplain Content#limited limited}.
     */
    JsonLine put(String name, @Nullable Object value) {
        if (value != null && !isEmpty(value)) {
            json.writeName(name);
            write(value);
        }
        return this;
    }

    private static boolean isEmpty(Object value) {
        return value instanceof Map<?, ?> map ? map.isEmpty() : value instanceof Collection<?> list && list.isEmpty();
    }

    private void write(@Nullable Object value) {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Number number) {
            write(number);
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof Content content) {
            json.writeString(content.text());
        } else if (value instanceof Instant time) {
            json.writeString(Json.time(time));
        } else if (value instanceof Map<?, ?> map) {
            write(map);
        } else if (value instanceof Collection<?> list) {
            write(list);
        } else {
            json.writeString(Content.limited(String.valueOf(value)));
        }
    }

    /** NaN and the infinities become strings: that is how the generator writes them. */
    private void write(Number number) {
        if (number instanceof Long || number instanceof Integer) {
            json.writeNumber(number.longValue());
        } else {
            json.writeNumber(number.doubleValue());
        }
    }

    private void write(Map<?, ?> map) {
        json.writeStartObject();
        map.forEach((name, value) -> {
            json.writeName(String.valueOf(name));
            write(value);
        });
        json.writeEndObject();
    }

    private void write(Collection<?> list) {
        json.writeStartArray();
        list.forEach(this::write);
        json.writeEndArray();
    }
}
