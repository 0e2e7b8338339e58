package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Plain;
import dev.rlm.sinks.jsonl.segment.LineBuffer;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One JSON object on a line of its own, while it is written. */
final class JsonLine {
    private final JsonEncoder json;
    private char before = '{'; // the next field

    private JsonLine(LineBuffer buffer) {
        this.json = new JsonEncoder(buffer);
    }

    /** Appends the object that is filled in, and a line feed; nothing if the filling throws. */
    static void append(LineBuffer buffer, Consumer<JsonLine> filling) {
        int size = buffer.size();
        boolean filled = false;
        try {
            JsonLine line = new JsonLine(buffer);
            filling.accept(line);
            line.end();
            filled = true;
        } finally {
            if (!filled) {
                buffer.resize(size);
            }
        }
    }

    private void end() {
        if (before == '{') {
            json.plain(before);
        }
        json.plain("}\n");
    }

    /**
     * A field: text, a {@link Content}, a number, a boolean, a time, or a list or map of such, as {@link Plain} makes them.
     * What is absent, and an empty list or map, is left out. Text that is no {@code Content} is
     * {@linkplain Content#limited limited}.
     *
     * @param name one that stands for itself in JSON
     */
    JsonLine put(String name, @Nullable Object value) {
        if (value != null && !isEmpty(value)) {
            name(name);
            write(value);
        }
        return this;
    }

    JsonLine put(String name, @Nullable String text) {
        if (text != null) {
            name(name);
            json.word(text);
        }
        return this;
    }

    JsonLine put(String name, @Nullable Content content) {
        if (content != null) {
            name(name);
            json.string(content.text());
        }
        return this;
    }

    JsonLine put(String name, @Nullable Instant time) {
        if (time != null) {
            name(name);
            json.time(time);
        }
        return this;
    }

    JsonLine put(String name, boolean value) {
        name(name);
        json.plain(Boolean.toString(value));
        return this;
    }

    JsonLine put(String name, long value) {
        name(name);
        json.number(value);
        return this;
    }

    JsonLine put(String name, double value) {
        name(name);
        json.number(value);
        return this;
    }

    /** A number that is left out where it stands for something absent. */
    JsonLine putUnless(long absent, String name, long value) {
        return value == absent ? this : put(name, value);
    }

    private void name(String name) {
        json.name(before, name);
        before = ',';
    }

    static boolean isEmpty(Object value) {
        return value instanceof Map<?, ?> map ? map.isEmpty() : value instanceof Collection<?> list && list.isEmpty();
    }

    private void write(@Nullable Object value) {
        if (value == null) {
            json.plain("null");
        } else if (value instanceof Content content) {
            json.string(content.text());
        } else if (value instanceof String text) {
            json.word(text);
        } else if (value instanceof Number number) {
            write(number);
        } else if (value instanceof Boolean flag) {
            json.plain(flag.toString());
        } else if (value instanceof Instant time) {
            json.time(time);
        } else if (value instanceof Map<?, ?> map) {
            write(map);
        } else if (value instanceof Collection<?> list) {
            write(list);
        } else {
            json.string(Content.limited(String.valueOf(value)));
        }
    }

    private void write(Number number) {
        if (number instanceof Long || number instanceof Integer) {
            json.number(number.longValue());
        } else {
            json.number(number.doubleValue());
        }
    }

    private void write(Map<?, ?> map) {
        char separator = '{';
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            json.plain(separator);
            json.string(Content.wellFormed(String.valueOf(entry.getKey())));
            json.plain(':');
            write(entry.getValue());
            separator = ',';
        }
        json.plain(separator == '{' ? "{}" : "}");
    }

    private void write(Collection<?> list) {
        char separator = '[';
        for (Object element : list) {
            json.plain(separator);
            write(element);
            separator = ',';
        }
        json.plain(separator == '[' ? "[]" : "]");
    }
}
