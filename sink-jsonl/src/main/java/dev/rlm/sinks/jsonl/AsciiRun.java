package dev.rlm.sinks.jsonl;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Passes over what stands for itself in a JSON string and in UTF-8, eight bytes at a time: most bytes of a journal do. */
final class AsciiRun {
    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = ONES << 7;
    private static final long SPACES = ONES * ' ';
    private static final long QUOTES = ONES * '"';
    private static final long BACKSLASHES = ONES * '\\';

    private AsciiRun() {}

    /** Where the first byte stands that is a quotation mark, a backslash, a control or no ASCII; the end where none does. */
    static int end(byte[] bytes, int from, int to) {
        int at = from;
        while (at <= to - Long.BYTES) {
            long others = others((long) EIGHT.get(bytes, at));
            if (others != 0) {
                return at + (Long.numberOfTrailingZeros(others) >>> 3);
            }
            at += Long.BYTES;
        }
        while (at < to && bytes[at] >= ' ' && bytes[at] != '"' && bytes[at] != '\\') {
            at++;
        }
        return at;
    }

    /** The high bit of each such byte; above the first of them it may be any. What is subtracted borrows from the high bit. */
    private static long others(long eight) {
        return (eight | (eight - SPACES) | ((eight ^ QUOTES) - ONES) | ((eight ^ BACKSLASHES) - ONES)) & HIGH_BITS;
    }
}
