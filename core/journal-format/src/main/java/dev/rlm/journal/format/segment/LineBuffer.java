package dev.rlm.journal.format.segment;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Lines on their way to a file: memory that is used again, and given back after an unusually long line. */
public final class LineBuffer extends ByteArrayOutputStream {
    /** The most characters of a text that are {@linkplain #take taken} at once. */
    public static final int PIECE = 1 << 12;

    private static final int KEPT = 8 << 20; // bytes
    private static final int LARGEST = Integer.MAX_VALUE - 8; // array that every virtual machine makes

    private final CharsetEncoder latin1 = StandardCharsets.ISO_8859_1.newEncoder();
    private final CharBuffer characters = CharBuffer.allocate(PIECE);
    private final ByteBuffer latin = ByteBuffer.allocate(PIECE);

    public LineBuffer() {
        this(64 << 10);
    }

    /** Makes a buffer for so many bytes at first: few where it is not used again. */
    public LineBuffer(int capacity) {
        super(capacity);
    }

    /** Returns the number of bytes. Unlocked: it is called many times a line, and one thread writes. */
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

    /**
     * Takes what stands between two places of a text. The virtual machine takes the characters out of it, and makes them
     * {@linkplain #latinEnd bytes}, with instructions for many at once, as it does for no loop.
     */
    public void take(String text, int from, int to) {
        text.getChars(from, to, characters.array(), 0);
        characters.limit(to - from);
    }

    /**
     * Makes {@linkplain #latin bytes} of the characters taken, from there on and each at its place, and returns where the first
     * is that is none of Latin 1.
     */
    public int latinEnd(int from) {
        latin.clear().position(from);
        var unused = latin1.reset().encode(characters.position(from), latin, true);
        return latin.position();
    }

    /** The characters taken, as bytes of Latin 1 as far as they are of that, in memory that is used again. */
    public byte[] latin() {
        return latin.array();
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

    /** Returns what was appended between two sizes, as a view that is valid until the next appending. */
    public ByteBuffer bytes(int from, int to) {
        return ByteBuffer.wrap(buf, from, to - from);
    }

    /** Returns the end of the last whole line between two sizes; the lower size if no line is whole. */
    public int lastLineEnd(int from, int to) {
        int end = to;
        while (end > from && buf[end - 1] != '\n') {
            end--;
        }
        return end;
    }

    /** Returns the index behind the line that begins there and its line feed. */
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
