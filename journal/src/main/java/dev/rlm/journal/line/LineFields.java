package dev.rlm.journal.line;

import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a line that was found whole, each read where it stands when it is asked for. Of two with one name it may be
 * either. For one thread at a time.
 */
final class LineFields extends AbstractMap<String, @Nullable Object> {
    private static final int NONE = -1;

    private final byte[] bytes;
    private final int line;
    private final FieldMarks marks;
    private final int first;
    private final int count;
    private final long
            names; // a bit for each, by length and last character: many fields are asked for that are not there
    private int last; // that was found: a reader of an event asks for its fields nearly in their order

    /**
     * The fields with these numbers.
     *
     * @param line where the line begins
     */
    LineFields(byte[] bytes, int line, FieldMarks marks, int first, int count) {
        this.bytes = bytes;
        this.line = line;
        this.marks = marks;
        this.first = first;
        this.count = count;
        long all = 0;
        for (int field = first; field < first + count; field++) {
            int end = marks.nameEnd(field);
            all |= bit(end - marks.name(field), bytes[end - 1]);
        }
        this.names = all;
    }

    private static long bit(int length, int end) {
        return 1L << (length * 5 + end); // of which the lower six bits count
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
        return name instanceof String text && find(text) != NONE;
    }

    @Override
    public @Nullable Object get(@Nullable Object name) {
        int field = name instanceof String text ? find(text) : NONE;
        return field == NONE ? null : WholeJson.value(bytes, marks.value(field));
    }

    /**
     * The whole number of that name, without an object for it: an event has half a dozen of them.
     *
     * @throws RuntimeException if there is none, or something else
     */
    long number(String name) {
        int field = find(name);
        if (field == NONE) {
            throw new IllegalArgumentException("no field " + name);
        }
        return WholeJson.number(bytes, marks.value(field));
    }

    private int find(String name) {
        int length = name.length();
        if (length > 0 && (names & bit(length, name.charAt(length - 1))) == 0) {
            return NONE;
        }
        for (int i = 0, at = last; i < count; i++, at++) {
            int field = first + (at < count ? at : at - count);
            if (isNamed(field, name)) {
                last = field - first;
                return field;
            }
        }
        return NONE;
    }

    private boolean isNamed(int field, String name) {
        int start = marks.name(field);
        int length = name.length();
        if (marks.nameEnd(field) - start != length) {
            return false;
        }
        for (int i = length - 1; i >= 0; i--) { // many begin alike
            if (bytes[start + i] != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public Set<Entry<String, @Nullable Object>> entrySet() {
        Map<String, @Nullable Object> all = WholeJson.fields(bytes, line);
        return all.entrySet();
    }
}
