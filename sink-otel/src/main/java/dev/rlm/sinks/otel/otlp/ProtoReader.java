package dev.rlm.sinks.otel.otlp;

import java.nio.charset.StandardCharsets;

/**
 * Reads the fields of a protobuf message one after the other: as much of the format as the answers of OTLP need.
 * Whatever is no such message ends in an {@link IllegalArgumentException}.
 */
final class ProtoReader {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH_DELIMITED = 2;
    private static final int FIXED32 = 5;

    private final byte[] bytes;
    private final int end;
    private int at;
    private int type;

    ProtoReader(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    private ProtoReader(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.at = start;
        this.end = end;
    }

    /** The number of the field that comes next; 0 at the end. Its value must then be read or skipped. */
    int nextField() {
        if (at == end) {
            return 0;
        }
        long tag = varint();
        type = (int) (tag & 7);
        long field = tag >>> 3;
        check(field > 0 && field < 1 << 29);
        return (int) field;
    }

    long number() {
        check(type == VARINT);
        return varint();
    }

    String text() {
        ProtoReader inner = message();
        return new String(bytes, inner.at, inner.end - inner.at, StandardCharsets.UTF_8);
    }

    /** A message inside this one; also any other value that has a length. */
    ProtoReader message() {
        check(type == LENGTH_DELIMITED);
        long length = varint();
        check(length >= 0 && length <= end - at);
        at += (int) length;
        return new ProtoReader(bytes, at - (int) length, at);
    }

    void skip() {
        if (type == VARINT) {
            varint();
        } else if (type == LENGTH_DELIMITED) {
            message();
        } else {
            check(type == FIXED64 || type == FIXED32);
            int length = type == FIXED64 ? Long.BYTES : Integer.BYTES;
            check(length <= end - at);
            at += length;
        }
    }

    private long varint() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            check(at < end);
            byte next = bytes[at++];
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("a number too long");
    }

    private static void check(boolean valid) {
        if (!valid) {
            throw new IllegalArgumentException("no protobuf message");
        }
    }
}
