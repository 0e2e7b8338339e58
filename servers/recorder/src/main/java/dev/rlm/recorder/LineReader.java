package dev.rlm.recorder;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines of bytes. Of a line that is too long nothing is kept. The last one may lack its line feed. While a large line
 * is read, and until the next one is asked for, no other reader reads a large one.
 */
final class LineReader implements AutoCloseable {
    private static final int CHUNK = 1 << 16;

    private final InputStream in;
    private final LineMemory memory;
    private final byte[] chunk = new byte[CHUNK];
    private ByteArrayOutputStream line = new ByteArrayOutputStream();
    private boolean tooLong;
    private boolean large;
    private int from;
    private int to;
    private long number;

    LineReader(InputStream in, LineMemory memory) {
        this.in = in;
        this.memory = memory;
    }

    /** The next line that is not blank; {@code null} at the end. */
    @Nullable
    RawLine next() throws IOException {
        RawLine next = nextOrBlank();
        while (next != null && next.isBlank()) {
            next = nextOrBlank();
        }
        return next;
    }

    private @Nullable RawLine nextOrBlank() throws IOException {
        close();
        while (true) {
            if (from == to && !fill()) {
                return line.size() > 0 || tooLong ? take() : null;
            }
            int end = from;
            while (end < to && chunk[end] != '\n') {
                end++;
            }
            keep(end - from);
            from = end;
            if (end < to) {
                from++;
                return take();
            }
        }
    }

    private boolean fill() throws IOException {
        int count = in.read(chunk);
        from = 0;
        to = Math.max(0, count);
        return count > 0;
    }

    private void keep(int length) {
        if (!large && line.size() + length > memory.smallLine()) {
            memory.startLarge();
            large = true;
        }
        if (tooLong || line.size() + length > memory.maxLine()) {
            tooLong = true;
            line = new ByteArrayOutputStream();
        } else {
            line.write(chunk, from, length);
        }
    }

    /** Lets another reader read a large line: the last one is recorded, or is not wanted. */
    @Override
    public void close() {
        if (large) {
            large = false;
            memory.endLarge();
        }
    }

    private RawLine take() {
        RawLine taken = new RawLine(++number, tooLong ? null : line.toByteArray());
        tooLong = false;
        if (line.size() > CHUNK) {
            line = new ByteArrayOutputStream(); // so that one long line does not hold its room for ever
        } else {
            line.reset();
        }
        return taken;
    }
}
