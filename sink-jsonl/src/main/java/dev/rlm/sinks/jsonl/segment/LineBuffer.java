package dev.rlm.sinks.jsonl.segment;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/** Lines on their way to a file: memory that is used again, and given back after an unusually long line. */
public final class LineBuffer extends ByteArrayOutputStream {
    private static final int KEPT = 8 << 20; // bytes
    private static final int LARGEST = Integer.MAX_VALUE - 8; // array that every virtual machine makes

    private final TextPiece piece = new TextPiece();

    public LineBuffer() {
        super(64 << 10);
    }

    /** How many bytes there are. Unlocked: it is asked many times a line, and one thread writes. */
    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public int size() {
        return count;
    }

    /** The bytes, with room for so many more behind {@link #size}; to be asked for again after the next appending. */
    public byte[] room(int more) {
        int needed = Math.addExact(count, more);
        if (needed > buf.length) {
            buf = Arrays.copyOf(buf, (int) Math.max(needed, Math.min(2L * buf.length, LARGEST)));
        }
        return buf;
    }

    /** What stands between two places of a text, in memory that is used again. */
    public TextPiece piece(String text, int from, int to) {
        piece.take(text, from, to);
        return piece;
    }

    /** Takes in what was written to the {@link #room}, or takes back what was appended since it had that size. */
    public void resize(int size) {
        count = size;
    }

    /** Moves everything to the end of the file. */
    public void writeTo(FileChannel file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(buf, 0, count);
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
        clear();
    }

    /** What was appended between two sizes. */
    public ByteBuffer bytes(int from, int to) {
        return ByteBuffer.wrap(buf, from, to - from);
    }

    /** Where the last line ends of those that lie between two sizes; the lower one where none is whole. */
    public int lastLineEnd(int from, int to) {
        int end = to;
        while (end > from && buf[end - 1] != '\n') {
            end--;
        }
        return end;
    }

    /** Where the line ends that begins there. */
    public int lineEnd(int from) {
        int end = from;
        while (buf[end] != '\n') {
            end++;
        }
        return end + 1;
    }

    /** Takes out what was appended between two sizes. */
    public void remove(int from, int to) {
        System.arraycopy(buf, to, buf, from, count - to);
        count -= to - from;
    }

    /** Forgets everything. */
    public void clear() {
        reset();
        if (buf.length > KEPT) {
            buf = new byte[KEPT];
        }
    }
}
