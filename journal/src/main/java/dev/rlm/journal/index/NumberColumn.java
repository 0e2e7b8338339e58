package dev.rlm.journal.index;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Numbers in a row of bytes, seven bits each: written at its end, read from a place on. For one thread. */
final class NumberColumn {
    private static final int BITS = 7;
    private static final int MORE = 1 << BITS;

    private byte[] bytes;
    private final int start; // where others' end
    private int end;
    private int at;

    NumberColumn() {
        this(new byte[64], 0, 0, 0);
    }

    private NumberColumn(byte[] bytes, int start, int end, int at) {
        this.bytes = bytes;
        this.start = start;
        this.end = end;
        this.at = at;
    }

    /** Reads bytes. */
    static NumberColumn of(byte[] bytes) {
        return new NumberColumn(bytes, 0, bytes.length, 0);
    }

    /** Returns how many bytes were written. */
    int size() {
        return end;
    }

    byte[] bytes() {
        return Arrays.copyOf(bytes, end);
    }

    /** Writes a number that is mostly small and not negative. */
    void put(long number) {
        makeRoom(Long.BYTES + 2);
        long rest = number;
        while ((rest & -MORE) != 0) {
            bytes[end++] = (byte) (rest | MORE);
            rest >>>= BITS;
        }
        bytes[end++] = (byte) rest;
    }

    /** Writes a number that is mostly near to 0. */
    void putSigned(long number) {
        put((number << 1) ^ (number >> (Long.SIZE - 1)));
    }

    /** Writes bytes with their number. */
    void put(byte[] others, int length) {
        put(length);
        makeRoom(length);
        System.arraycopy(others, 0, bytes, end, length);
        end += length;
    }

    /** Writes another one, to be read as the {@link #nextColumn}. */
    void put(NumberColumn other) {
        put(other.bytes, other.end);
    }

    private void makeRoom(int more) {
        if (end + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, end + more));
        }
    }

    /** Returns the same bytes, to be read from that one on. */
    NumberColumn from(int place) {
        return new NumberColumn(bytes, start, end, start + place);
    }

    /** Returns whether there is more to read. */
    boolean hasNext() {
        return at < end;
    }

    /**
     * Reads the next number.
     *
     * @throws IndexOutOfBoundsException if there is none
     */
    long next() {
        long number = 0;
        for (int shift = 0; ; shift += BITS) {
            if (at == end) {
                throw new IndexOutOfBoundsException("no more numbers");
            }
            byte part = bytes[at++];
            number |= (long) (part & (MORE - 1)) << shift;
            if (part >= 0) {
                return number;
            }
        }
    }

    /** Reads the next number that was written as signed. */
    long nextSigned() {
        long number = next();
        return (number >>> 1) ^ -(number & 1);
    }

    /** Reads how many there are of something, each of which takes at least a byte. */
    int nextCount() {
        long count = next();
        if (count < 0 || count > end - at) {
            throw new IndexOutOfBoundsException("more than there is: " + count);
        }
        return (int) count;
    }

    /** Reads the next bytes as a text. */
    String nextText() {
        int length = nextCount();
        at += length;
        return new String(bytes, at - length, length, StandardCharsets.UTF_8);
    }

    /** Reads the next column. */
    NumberColumn nextColumn() {
        int length = nextCount();
        at += length;
        return new NumberColumn(bytes, at - length, at, at - length);
    }
}
