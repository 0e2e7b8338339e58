package dev.rlm.journal.format;

import dev.rlm.journal.format.segment.LineBuffer;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.JsonValues;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One JSON object on a line of its own, while it is written. */
public final class JsonLine {
    private static final int ORDINARY = 1 << 10; // bytes of an event
    private static final int LONGEST_WORD = 64; // characters

    // Short texts that come on line after line, such as the id of a run, as JSON: as long as no other takes their
    // place.
    private static final AtomicReferenceArray<Map.@Nullable Entry<String, byte[]>> WORDS =
            new AtomicReferenceArray<>(1 << 10);

    private final LineBuffer buffer;
    private final JsonEncoder json;
    private char before = '{'; // the next field

    private JsonLine(LineBuffer buffer) {
        this.buffer = buffer;
        this.json = new JsonEncoder(buffer);
    }

    /** Appends the object that is filled in, and a line feed; nothing if the filling throws. */
    public static void append(LineBuffer buffer, Consumer<JsonLine> filling) {
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

    /** Returns the object that is filled in. */
    public static String text(Consumer<JsonLine> filling) {
        LineBuffer buffer = new LineBuffer(ORDINARY);
        append(buffer, filling);
        return buffer.toString(StandardCharsets.UTF_8).stripTrailing();
    }

    private void end() {
        if (before == '{') {
            json.plain(before);
        }
        json.plain("}\n");
    }

    /**
     * A field: text, a {@link Content}, a number, a boolean, a time, or a list or map of such, as {@link JsonValues} makes
     * them. An absent value, and an empty list or map, is left out. Text that is no {@code Content} is
     * {@linkplain Content#limited limited}.
     *
     * @param name one that stands for itself in JSON
     */
    public JsonLine put(String name, @Nullable Object value) {
        if (value != null && !isEmpty(value)) {
            name(name);
            write(value);
        }
        return this;
    }

    public JsonLine put(String name, @Nullable String text) {
        if (text != null) {
            name(name);
            word(text);
        }
        return this;
    }

    public JsonLine put(String name, @Nullable Content content) {
        if (content != null) {
            name(name);
            json.string(content.text());
        }
        return this;
    }

    public JsonLine put(String name, @Nullable Instant time) {
        if (time != null) {
            name(name);
            json.time(time);
        }
        return this;
    }

    public JsonLine put(String name, boolean value) {
        name(name);
        json.plain(Boolean.toString(value));
        return this;
    }

    public JsonLine put(String name, long value) {
        name(name);
        json.number(value);
        return this;
    }

    public JsonLine put(String name, double value) {
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

    /** Writes a text that may come again soon, {@linkplain Content#limited limited}. */
    private void word(String text) {
        if (text.length() > LONGEST_WORD) {
            json.string(Content.limited(text));
            return;
        }
        int start = buffer.size();
        int hash = text.hashCode();
        int place = (hash ^ (hash >>> 10)) & (WORDS.length() - 1);
        Map.Entry<String, byte[]> known = WORDS.get(place);
        if (known != null && known.getKey().equals(text)) {
            byte[] encoded = known.getValue();
            System.arraycopy(encoded, 0, buffer.room(encoded.length), start, encoded.length);
            buffer.resize(start + encoded.length);
        } else {
            json.string(Content.limited(text));
            WORDS.set(place, Map.entry(text, Arrays.copyOfRange(buffer.room(0), start, buffer.size())));
        }
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
            word(text);
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
