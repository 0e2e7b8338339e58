package dev.rlm.journal.line;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON as another reader than the journal's reads it, to the letter of RFC 8259 and without equal names in an object. */
public final class StrictJson {
    private StrictJson() {}

    /** The value: maps, lists, text, booleans, and numbers as {@link BigDecimal}. */
    public static @Nullable Object parse(String line) throws IOException {
        JsonReader reader = new JsonReader(new StringReader(line));
        reader.setStrictness(Strictness.STRICT);
        Object value = value(reader);
        if (reader.peek() != JsonToken.END_DOCUMENT) {
            throw new IOException("more than a value");
        }
        return value;
    }

    private static @Nullable Object value(JsonReader reader) throws IOException {
        return switch (reader.peek()) {
            case BEGIN_OBJECT -> object(reader);
            case BEGIN_ARRAY -> list(reader);
            case STRING -> reader.nextString();
            case NUMBER -> new BigDecimal(reader.nextString());
            case BOOLEAN -> reader.nextBoolean();
            case NULL -> {
                reader.nextNull();
                yield null;
            }
            default -> throw new IOException("no value");
        };
    }

    private static Map<String, @Nullable Object> object(JsonReader reader) throws IOException {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        reader.beginObject();
        while (reader.hasNext()) {
            String name = reader.nextName();
            if (object.containsKey(name)) {
                throw new IOException("two fields are called " + name);
            }
            object.put(name, value(reader));
        }
        reader.endObject();
        return object;
    }

    private static List<@Nullable Object> list(JsonReader reader) throws IOException {
        List<@Nullable Object> list = new ArrayList<>();
        reader.beginArray();
        while (reader.hasNext()) {
            list.add(value(reader));
        }
        reader.endArray();
        return list;
    }

    /** The same with all numbers as doubles, which is how some readers take them. */
    public static @Nullable Object rounded(@Nullable Object value) {
        if (value instanceof Number number) {
            return number.doubleValue() + 0.0; // without the sign of zero, which some lose
        } else if (value instanceof List<?> list) {
            List<@Nullable Object> copy = new ArrayList<>();
            list.forEach(element -> copy.add(rounded(element)));
            return copy;
        } else if (value instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> copy = new LinkedHashMap<>();
            map.forEach((name, element) -> copy.put((String) name, rounded(element)));
            return copy;
        }
        return value;
    }
}
