package dev.rlm.journal.format.segment;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Looks through bytes, eight at a time as far as they go. */
public final class ByteScan {
    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final byte DELETE = 0x7F;
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = ONES << 7;
    private static final long LINE_FEEDS = ONES * '\n';
    private static final long SPACES = ONES * ' ';
    private static final long QUOTES = ONES * '"';
    private static final long BACKSLASHES = ONES * '\\';

    private ByteScan() {}

    /** Returns the index of the next line feed; {@code to} if there is none. */
    public static int lineFeed(byte[] bytes, int from, int to) {
        int at = from;
        while (at <= to - Long.BYTES) {
            long feeds = (long) EIGHT.get(bytes, at) ^ LINE_FEEDS;
            long zeros = (feeds - ONES) & ~feeds & HIGH_BITS; // the high bit of the first zero, and of none before it
            if (zeros != 0) {
                return at + first(zeros);
            }
            at += Long.BYTES;
        }
        while (at < to && bytes[at] != '\n') {
            at++;
        }
        return at;
    }

    /** Returns the index of the last line feed; {@code from - 1} if there is none. */
    public static int lastLineFeed(byte[] bytes, int from, int to) {
        int at = to - 1;
        while (at >= from && bytes[at] != '\n') {
            at--;
        }
        return at;
    }

    /**
     * Returns the index of the first byte that does not stand for itself in a string of JSON, since it is a quotation
     * mark, a backslash, a control character or no ASCII; {@code to} if there is none.
     */
    public static int plainEnd(byte[] bytes, int from, int to) {
        int at = from;
        while (at <= to - Long.BYTES) {
            long others = others((long) EIGHT.get(bytes, at));
            if (others != 0) {
                return at + first(others);
            }
            at += Long.BYTES;
        }
        while (at < to && bytes[at] >= ' ' && bytes[at] != '"' && bytes[at] != '\\') {
            at++;
        }
        return at;
    }

    /**
     * Copies bytes up to the first that does not stand for itself in a string of the journal, {@link #plainEnd} or delete, and
     * returns how many. Up to seven bytes of the target behind them may be overwritten, as long as more are to be copied.
     */
    public static int copyPlain(byte[] bytes, int from, int to, byte[] target, int offset) {
        int at = from;
        while (at <= to - Long.BYTES) {
            long eight = (long) EIGHT.get(bytes, at);
            EIGHT.set(target, offset + at - from, eight);
            long others = others(eight) | ((eight + ONES) & HIGH_BITS); // a delete becomes the first that is no ASCII
            if (others != 0) {
                return at + first(others) - from;
            }
            at += Long.BYTES;
        }
        while (at < to && bytes[at] >= ' ' && bytes[at] != '"' && bytes[at] != '\\' && bytes[at] != DELETE) {
            target[offset + at - from] = bytes[at];
            at++;
        }
        return at - from;
    }

    /**
     * The high bit of each such byte; above the first of them it may be any. The subtraction borrows from the high bit.
     */
    private static long others(long eight) {
        return (eight | (eight - SPACES) | ((eight ^ QUOTES) - ONES) | ((eight ^ BACKSLASHES) - ONES)) & HIGH_BITS;
    }

    private static int first(long highBits) {
        return Long.numberOfTrailingZeros(highBits) >>> 3;
    }
}
