package dev.rlm.sinks.traced;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.JsonValues;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Texts of values and errors, for records. A text stands as it is; numbers, booleans, lists, maps and records as JSON;
 * all else is what it says of itself. Bounded as {@link JsonValues} is.
 */
final class Texts {
    private Texts() {}

    static String of(@Nullable Object value) {
        if (value instanceof String text) {
            return text;
        } else if (value instanceof byte[] bytes) {
            return "[" + bytes.length + " bytes]";
        }
        Object plain = JsonValues.value(value, Content::limited);
        return plain instanceof String text ? text : json(plain);
    }

    @SuppressWarnings("CatchThrowable") // an error's own methods may do anything
    static String of(Throwable error) {
        try {
            return error.toString();
        } catch (Throwable e) {
            return error.getClass().getName();
        }
    }

    private static String json(@Nullable Object plain) {
        StringBuilder json = new StringBuilder();
        write(json, plain);
        return json.toString();
    }

    private static void write(StringBuilder json, @Nullable Object plain) {
        if (plain instanceof Map<?, ?> map) {
            write(json, map);
        } else if (plain instanceof List<?> list) {
            write(json, list);
        } else if (plain instanceof String text) {
            quote(json, text);
        } else if (plain instanceof Double number && !Double.isFinite(number)) {
            quote(json, number.toString()); // JSON has no such numbers
        } else {
            json.append(plain);
        }
    }

    private static void write(StringBuilder json, Map<?, ?> map) {
        json.append('{');
        Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<?, ?> entry = entries.next();
            quote(json, String.valueOf(entry.getKey()));
            json.append(':');
            write(json, entry.getValue());
            json.append(entries.hasNext() ? "," : "");
        }
        json.append('}');
    }

    private static void write(StringBuilder json, List<?> list) {
        json.append('[');
        Iterator<?> elements = list.iterator();
        while (elements.hasNext()) {
            write(json, elements.next());
            json.append(elements.hasNext() ? "," : "");
        }
        json.append(']');
    }

    private static void quote(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> json.append('\\').append(c);
                case '\n' -> json.append("\\n");
                case '\r' -> json.append("\\r");
                case '\t' -> json.append("\\t");
                default -> append(json, c);
            }
        }
        json.append('"');
    }

    private static void append(StringBuilder json, char c) {
        if (c < ' ') {
            json.append(String.format("\\u%04x", (int) c));
        } else {
            json.append(c);
        }
    }
}
