package dev.rlm.runs.exchange.input;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Bounds of one record that is to be imported: it is held whole, and must leave room for others. */
public final class RecordSize {
    private static final long HEAP = Runtime.getRuntime().maxMemory();
    private static final long MAX_TEXT = Math.min(HEAP / 16, 1 << 30); // a reader holds it several times while it grows
    private static final long MAX_TREE = HEAP / 4;
    private static final String MORE_ROOM = "; JAVA_TOOL_OPTIONS=-Xmx8g gives more room";

    private long tree;

    /**
     * Checks how long the text of a record has become.
     *
     * @throws IOException if it is too long: nothing tells where it ends
     */
    public static void check(long length) throws IOException {
        if (length > MAX_TEXT) {
            throw new IOException("a record is longer than " + (MAX_TEXT >> 20) + " MiB" + MORE_ROOM);
        }
    }

    /** Counts the memory that the next part of a record's tree takes. */
    void add(int bytes) {
        tree += bytes;
        if (tree > MAX_TREE) {
            throw new ManyValuesException();
        }
    }

    /** Too many values for this heap. */
    static final class ManyValuesException extends RuntimeException {
        private static final long serialVersionUID = 1;

        ManyValuesException() {
            super(
                    "a record with fewer values, which take more than " + (MAX_TREE >> 20) + " MiB of memory"
                            + MORE_ROOM,
                    null,
                    false,
                    false);
        }
    }

    /** Stream of lines, none of which may be too long once it is said that they are lines. */
    public static final class Lines extends FilterInputStream {
        private long length; // of the line so far
        private boolean limited;

        public Lines(InputStream in) {
            super(in);
        }

        public void limit() {
            limited = true;
        }

        @Override
        public int read(byte[] into, int from, int count) throws IOException {
            int read = super.read(into, from, count);
            int end = from + read - 1;
            while (end >= from && into[end] != '\n' && into[end] != '\r') {
                end--;
            }
            length = read <= 0 ? length : end < from ? length + read : from + read - 1 - end;
            if (limited) {
                check(length);
            }
            return read;
        }
    }
}
