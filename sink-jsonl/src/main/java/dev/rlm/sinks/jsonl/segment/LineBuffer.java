package dev.rlm.sinks.jsonl.segment;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/** Lines on their way to a file: memory that is used again, and given back after an unusually long line. */
public final class LineBuffer extends ByteArrayOutputStream {
    private static final int KEPT = 4 << 20;

    public LineBuffer() {
        super(64 << 10);
    }

    /** Takes back what was appended since the buffer had that size. */
    public void truncate(int size) {
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

    /** Forgets everything. */
    public void clear() {
        reset();
        if (buf.length > KEPT) {
            buf = Arrays.copyOf(buf, KEPT);
        }
    }
}
