package dev.rlm.runs.exchange.parquet;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/** Structures in Thrift's compact protocol, in which Parquet's headers and footers are written. Fields come by rising number. */
final class CompactThrift {
    static final int I32 = 5;
    static final int TEXT = 8;
    static final int STRUCT = 12;

    private static final int TRUE = 1;
    private static final int FALSE = 2;
    private static final int I64 = 6;
    private static final int LIST = 9;
    private static final int SHORT_FORM = 15; // from there on a number takes bytes of its own

    private final GrowingBytes bytes = new GrowingBytes();
    private final Deque<Integer> outer = new ArrayDeque<>(); // the last fields of the structures around
    private int last;

    /** Begins a structure: the outermost one, or an element of a list. */
    CompactThrift begin() {
        outer.push(last);
        last = 0;
        return this;
    }

    /** Begins a structure that is a field. */
    CompactThrift begin(int field) {
        return head(field, STRUCT).begin();
    }

    CompactThrift end() {
        bytes.write(0);
        last = outer.pop();
        return this;
    }

    CompactThrift flag(int field, boolean value) {
        return head(field, value ? TRUE : FALSE);
    }

    CompactThrift i32(int field, int value) {
        return head(field, I32).whole(value);
    }

    CompactThrift i64(int field, long value) {
        return head(field, I64).whole(value);
    }

    CompactThrift text(int field, String value) {
        return head(field, TEXT).element(value);
    }

    /** Begins a list, whose elements follow. */
    CompactThrift list(int field, int type, int size) {
        head(field, LIST);
        bytes.write((Math.min(size, SHORT_FORM) << 4) | type);
        if (size >= SHORT_FORM) {
            bytes.varint(size);
        }
        return this;
    }

    /** A whole number in a list. */
    CompactThrift whole(long value) {
        bytes.varint((value << 1) ^ (value >> 63));
        return this;
    }

    /** A text in a list. */
    CompactThrift element(String value) {
        byte[] text = value.getBytes(StandardCharsets.UTF_8);
        bytes.varint(text.length);
        bytes.writeBytes(text);
        return this;
    }

    /** Elements of a list, which were written apart. */
    CompactThrift elements(byte[] written) {
        bytes.writeBytes(written);
        return this;
    }

    private CompactThrift head(int field, int type) {
        int step = field - last;
        if (step > 0 && step <= SHORT_FORM) {
            bytes.write((step << 4) | type);
        } else {
            bytes.write(type);
            whole(field);
        }
        last = field;
        return this;
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }
}
