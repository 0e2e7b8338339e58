package dev.rlm.journal.line;

import dev.rlm.journal.format.segment.ByteScan;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Finds where a JSON object ends, without reading what is in it: whether a line is whole costs a fraction of parsing it.
 * It takes what the journal's parser takes, and nothing that is not UTF-8; a test compares them.
 */
final class JsonSyntax {
    private static final int NONE = -1;
    private static final int MAX_DEPTH = 500; // the parser's
    private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

    private final byte[] bytes;
    private final int to;
    private final @Nullable FieldMarks marks; // of the outermost object

    private JsonSyntax(byte[] bytes, int to, @Nullable FieldMarks marks) {
        this.bytes = bytes;
        this.to = to;
        this.marks = marks;
    }

    /** Returns the index behind the object that begins there; negative if none begins there, or it is not whole. */
    static int endOfObject(byte[] bytes, int from, int to) {
        return endOfObject(bytes, from, to, null);
    }

    /** The same, which marks the object's own fields on the way; also where it is not whole. */
    static int endOfObject(byte[] bytes, int from, int to, @Nullable FieldMarks marks) {
        return from < to && bytes[from] == '{' ? new JsonSyntax(bytes, to, marks).object(from + 1, 1) : NONE;
    }

    // Each of these takes where to go on, and returns where it came to; NONE if it found something else.

    private int object(int from, int depth) {
        int at = space(from);
        if (is(at, '}')) {
            return at + 1;
        }
        while (is(at, '"')) {
            int name = at + 1;
            int nameEnd = string(name) - 1;
            at = space(nameEnd + 1);
            int value = is(at, ':') ? space(at + 1) : NONE;
            at = space(value(value, depth));
            if (depth == 1 && marks != null) {
                marks.add(name, nameEnd, value);
            }
            if (is(at, '}')) {
                return at + 1;
            }
            at = is(at, ',') ? space(at + 1) : NONE;
        }
        return NONE;
    }

    private int array(int from, int depth) {
        int at = space(from);
        if (is(at, ']')) {
            return at + 1;
        }
        while (at >= 0) {
            at = space(value(at, depth));
            if (is(at, ']')) {
                return at + 1;
            }
            at = is(at, ',') ? space(at + 1) : NONE;
        }
        return NONE;
    }

    private int value(int at, int depth) {
        if (at < 0 || at >= to) {
            return NONE;
        }
        return switch (bytes[at]) {
            case '"' -> string(at + 1);
            case '{' -> depth < MAX_DEPTH ? object(at + 1, depth + 1) : NONE;
            case '[' -> depth < MAX_DEPTH ? array(at + 1, depth + 1) : NONE;
            case 't' -> literal(at, TRUE);
            case 'f' -> literal(at, FALSE);
            case 'n' -> literal(at, NULL);
            default -> number(at);
        };
    }

    private int string(int from) {
        int at = from < 0 ? to : ByteScan.plainEnd(bytes, from, to);
        while (at >= 0 && at < to) {
            byte here = bytes[at];
            if (here == '"') {
                return at + 1;
            }
            at = here == '\\' ? escape(at + 1) : here < 0 ? character(at) : NONE;
            at = at < 0 ? NONE : ByteScan.plainEnd(bytes, at, to);
        }
        return NONE;
    }

    private int escape(int at) {
        if (at >= to) {
            return NONE;
        }
        return switch (bytes[at]) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> at + 1;
            case 'u' -> hexadecimal(at + 1);
            default -> NONE;
        };
    }

    private int hexadecimal(int from) {
        for (int at = from; at < from + 4; at++) {
            if (at >= to || Character.digit(bytes[at], 16) < 0) {
                return NONE;
            }
        }
        return from + 4;
    }

    /** A character of several bytes, in UTF-8 proper. */
    private int character(int at) {
        int first = bytes[at] & 0xff;
        int second = at + 1 < to ? bytes[at + 1] & 0xff : 0;
        int length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
        boolean another = (first == 0xe0 && second < 0xa0) // shorter ones are for these,
                || (first == 0xf0 && second < 0x90)
                || (first == 0xed && second >= 0xa0) // these are halves of surrogate pairs,
                || (first == 0xf4 && second >= 0x90); // and these are beyond Unicode
        for (int i = 1; i < length; i++) {
            if (at + i >= to || (bytes[at + i] & 0xc0) != 0x80) {
                return NONE;
            }
        }
        return length == 0 || another ? NONE : at + length;
    }

    private int number(int from) {
        int at = is(from, '-') ? from + 1 : from;
        at = is(at, '0') ? at + 1 : digits(at);
        if (is(at, '.')) {
            at = digits(at + 1);
        }
        if (is(at, 'e') || is(at, 'E')) {
            at = digits(is(at + 1, '+') || is(at + 1, '-') ? at + 2 : at + 1);
        }
        return at;
    }

    private int digits(int from) {
        int at = from;
        while (at < to && bytes[at] >= '0' && bytes[at] <= '9') {
            at++;
        }
        return at > from ? at : NONE;
    }

    private int literal(int from, byte[] expected) {
        for (int i = 0; i < expected.length; i++) {
            if (from + i >= to || bytes[from + i] != expected[i]) {
                return NONE;
            }
        }
        return from + expected.length;
    }

    private int space(int from) {
        if (from < 0 || from >= to || bytes[from] > ' ') {
            return from; // nearly always
        }
        int at = from;
        while (is(at, ' ') || is(at, '\t') || is(at, '\r') || is(at, '\n')) {
            at++;
        }
        return at;
    }

    private boolean is(int at, char expected) {
        return at >= 0 && at < to && bytes[at] == expected;
    }
}
