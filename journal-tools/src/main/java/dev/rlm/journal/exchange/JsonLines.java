package dev.rlm.journal.exchange;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.jsonl.JournalJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** JSON objects on their way to a stream, one a line, in UTF-8. Times are ISO-8601 in UTC with nine digits. */
final class JsonLines {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final int KEPT_BYTES = 1 << 20;

    private final OutputStream out;
    private ByteArrayOutputStream line = new ByteArrayOutputStream();

    JsonLines(OutputStream out) {
        this.out = out;
    }

    /** Writes the object whole or, where that fails, nothing of it that a reader could take for a line. */
    void write(Map<String, ? extends @Nullable Object> object) throws IOException {
        line.reset();
        generate(object, line);
        line.write('\n');
        line.writeTo(out);
        if (line.size() > KEPT_BYTES) {
            line = new ByteArrayOutputStream();
        }
    }

    /** The value as JSON whose fields are sorted, so that it is the same however it was written. */
    static byte[] canonical(Object value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        generate(sorted(value), bytes);
        return bytes.toByteArray();
    }

    private static @Nullable Object sorted(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            TreeMap<String, @Nullable Object> fields = new TreeMap<>();
            map.forEach((name, field) -> fields.put(String.valueOf(name), sorted(field)));
            return fields;
        }
        return value instanceof Collection<?> list
                ? list.stream().map(JsonLines::sorted).toList()
                : value;
    }

    /** The value as JSON text. */
    static String text(Object value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        generate(value, bytes);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** The time as it stands in all that is written. */
    static String time(Instant time) {
        return JournalJson.time(time);
    }

    private static void generate(@Nullable Object value, ByteArrayOutputStream target) {
        try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), target)) {
            write(value, json);
        }
    }

    private static void write(@Nullable Object value, JsonGenerator json) {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            map.forEach((name, field) -> {
                json.writeName(Content.wellFormed(String.valueOf(name)));
                write(field, json);
            });
            json.writeEndObject();
        } else if (value instanceof Collection<?> list) {
            json.writeStartArray();
            list.forEach(element -> write(element, json));
            json.writeEndArray();
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof Number number) {
            write(number, json);
        } else {
            json.writeString(value instanceof Instant time ? time(time) : Content.wellFormed(String.valueOf(value)));
        }
    }

    /** NaN and the infinities become strings: that is how the generator writes them. */
    private static void write(Number number, JsonGenerator json) {
        if (number instanceof Integer || number instanceof Long) {
            json.writeNumber(number.longValue());
        } else if (number instanceof BigInteger big) {
            json.writeNumber(big);
        } else {
            json.writeNumber(number.doubleValue());
        }
    }
}
