package dev.rlm.sinks.otel.otlp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes a protobuf message from its end to its beginning: what has a length is there before its length is needed, and
 * nothing is looked at twice. Fields come out in the reverse of the order in which they are written. Of one thread.
 */
final class ProtoWriter {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH_DELIMITED = 2;
    private static final int FIXED32 = 5;

    private static final int MAX_VARINT = 10; // bytes
    private static final int KEPT = 1 << 16; // bytes; a buffer that had to grow beyond is let go

    private byte[] buffer;
    private int start;

    ProtoWriter(int room) {
        buffer = new byte[room];
        start = room;
    }

    /** Returns how many bytes there are; for a message that is to hold what is written from now on. */
    int written() {
        return buffer.length - start;
    }

    byte[] bytes() {
        return Arrays.copyOfRange(buffer, start, buffer.length);
    }

    /** Begins the next message. */
    void clear() {
        buffer = buffer.length > KEPT ? new byte[KEPT] : buffer;
        start = buffer.length;
    }

    private void reserve(int more) {
        if (start < more) {
            int written = written();
            byte[] larger = new byte[Math.max(2 * buffer.length, Math.addExact(written, more))];
            System.arraycopy(buffer, start, larger, larger.length - written, written);
            start = larger.length - written;
            buffer = larger;
        }
    }

    void raw(byte[] bytes) {
        reserve(bytes.length);
        start -= bytes.length;
        System.arraycopy(bytes, 0, buffer, start, bytes.length);
    }

    void number(int field, long value) {
        varint(value);
        tag(field, VARINT);
    }

    void fixed64(int field, long value) {
        littleEndian(value, Long.BYTES);
        tag(field, FIXED64);
    }

    void fixed32(int field, int value) {
        littleEndian(value, Integer.BYTES);
        tag(field, FIXED32);
    }

    private void littleEndian(long value, int bytes) {
        reserve(bytes);
        start -= bytes;
        for (int i = 0; i < bytes; i++) {
            buffer[start + i] = (byte) (value >>> (8 * i));
        }
    }

    void bytes(int field, byte[] value) {
        raw(value);
        length(field, value.length);
    }

    /** Writes the bytes that hexadecimal digits stand for. */
    void hex(int field, String digits) {
        int bytes = digits.length() / 2;
        reserve(bytes);
        start -= bytes;
        for (int i = 0; i < bytes; i++) {
            buffer[start + i] = (byte) ((digit(digits.charAt(2 * i)) << 4) | digit(digits.charAt(2 * i + 1)));
        }
        length(field, bytes);
    }

    /** Of one that is 0 to 9 or a to f. */
    private static int digit(char digit) {
        return digit <= '9' ? digit - '0' : digit - 'a' + 10;
    }

    void text(int field, String value) {
        bytes(field, value.getBytes(StandardCharsets.UTF_8)); // faster than a loop, also for a few characters
    }

    /** Makes a field of what has been written since there were so many bytes. */
    void message(int field, int before) {
        length(field, written() - before);
    }

    /** Begins a field that has so many bytes, be they here or elsewhere. */
    void length(int field, long bytes) {
        varint(bytes);
        tag(field, LENGTH_DELIMITED);
    }

    private void tag(int field, int type) {
        varint(((long) field << 3) | type);
    }

    private void varint(long value) {
        reserve(MAX_VARINT);
        if (value >= 0 && value < 0x80) {
            buffer[--start] = (byte) value;
            return;
        }
        int bytes = (Long.SIZE + 6 - Long.numberOfLeadingZeros(value)) / 7;
        start -= bytes;
        long rest = value;
        for (int at = start; at < start + bytes - 1; at++) {
            buffer[at] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        buffer[start + bytes - 1] = (byte) rest;
    }
}
