package dev.rlm.cli.process;

import java.nio.charset.StandardCharsets;

/** End of an output, of {@value #SIZE} bytes at the most unless told otherwise. Safe for use by several threads. */
public final class OutputTail {
    private static final int SIZE = 1 << 14;

    private final byte[] ring;
    private long length; // of all

    /** Creates one of the usual size. */
    public OutputTail() {
        this(SIZE);
    }

    /** Creates one of so many bytes. */
    public OutputTail(int size) {
        ring = new byte[size];
    }

    /** Adds what came next. */
    public synchronized void add(byte[] bytes, int count) {
        for (int i = Math.max(0, count - ring.length); i < count; i++) {
            ring[(int) ((length + i) % ring.length)] = bytes[i];
        }
        length += count;
    }

    /**
     * Returns it as text. Where the output was longer it begins behind a line's end, or at least behind a space: half of a secret
     * would not be known as one.
     */
    public synchronized String text() {
        int kept = (int) Math.min(length, ring.length);
        byte[] bytes = new byte[kept];
        for (int i = 0; i < kept; i++) {
            bytes[i] = ring[(int) ((length - kept + i) % ring.length)];
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (length == kept) {
            return text;
        }
        int cut = text.indexOf('\n');
        cut = cut < 0 ? text.indexOf(' ') : cut;
        return cut < 0 ? "" : text.substring(cut + 1);
    }
}
