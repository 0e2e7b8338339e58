package dev.rlm.sinks.otel.otlp;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Fields of a protobuf message by number: as much of the format as the answers of OTLP need. Bytes that are no such message end
 * in an {@link IllegalArgumentException}.
 */
final class ProtoFields {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH_DELIMITED = 2;
    private static final int FIXED32 = 5;

    private final byte[] bytes;
    private int at;
    private final Map<Integer, Long> numbers = new HashMap<>(); // of several the last
    private final Map<Integer, List<byte[]>> values = new HashMap<>(); // what has a length

    ProtoFields(byte[] bytes) {
        this.bytes = bytes;
        while (at < bytes.length) {
            long tag = varint();
            long field = tag >>> 3;
            check(field > 0 && field < 1 << 29);
            read((int) field, (int) (tag & 7));
        }
    }

    private void read(int field, int type) {
        if (type == VARINT) {
            numbers.put(field, varint());
        } else if (type == LENGTH_DELIMITED) {
            values.computeIfAbsent(field, first -> new ArrayList<>(1)).add(next(varint()));
        } else {
            check(type == FIXED64 || type == FIXED32);
            next(type == FIXED64 ? Long.BYTES : Integer.BYTES);
            numbers.put(field, 0L); // of the answers' fields none has this type: where it is asked for
            values.put(field, new ArrayList<>()); // as either of the others, that fails
        }
    }

    private byte[] next(long length) {
        check(length >= 0 && length <= bytes.length - at);
        byte[] next = new byte[(int) length];
        System.arraycopy(bytes, at, next, 0, next.length);
        at += next.length;
        return next;
    }

    private long varint() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            check(at < bytes.length);
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

    /** Returns the number in that field; 0 where there is none. */
    long number(int field) {
        check(!values.containsKey(field));
        return numbers.getOrDefault(field, 0L);
    }

    /** Returns the text in that field; an empty one where there is none. */
    String text(int field) {
        List<byte[]> all = values(field);
        return all.isEmpty() ? "" : new String(all.get(all.size() - 1), StandardCharsets.UTF_8);
    }

    /** Returns the message in that field, which may come in parts; an empty one where there is none. */
    ProtoFields message(int field) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        values(field).forEach(all::writeBytes);
        return new ProtoFields(all.toByteArray());
    }

    /** Returns all messages in that field. */
    List<ProtoFields> messages(int field) {
        return values(field).stream().map(ProtoFields::new).toList();
    }

    private List<byte[]> values(int field) {
        check(!numbers.containsKey(field));
        return values.getOrDefault(field, List.of());
    }
}
