package dev.rlm.runs.exchange.parquet;

import java.io.ByteArrayOutputStream;

/** Bytes that numbers are appended to, the lowest byte first. */
final class GrowingBytes extends ByteArrayOutputStream {
    /** Appends the lowest bytes of a number. */
    void number(long value, int length) {
        for (int i = 0; i < length; i++) {
            write((int) (value >>> (Byte.SIZE * i)));
        }
    }

    /** Appends a number, seven bits a byte. */
    void varint(long value) {
        long rest = value;
        for (; (rest & ~0x7FL) != 0; rest >>>= 7) {
            write((int) ((rest & 0x7F) | 0x80));
        }
        write((int) rest);
    }
}
