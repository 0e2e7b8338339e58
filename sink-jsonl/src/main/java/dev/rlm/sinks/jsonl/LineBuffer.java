package dev.rlm.sinks.jsonl;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/** Lines on their way to a file: memory that is used again, and given back after an unusually long line. */
final class LineBuffer extends ByteArrayOutputStream {
    private static final int KEPT = 4 << 20;

    LineBuffer() {
        super(64 << 10);
    }

    /** Takes back what was appended since the buffer had that size. */
    void truncate(int size) {
        count = size;
    }

    /** Moves everything to the end of the file. */
    void writeTo(FileChannel file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(buf, 0, count);
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
        clear();
    }

    /** Forgets everything. */
    void clear() {
        reset();
        if (buf.length > KEPT) {
            buf = Arrays.copyOf(buf, KEPT);
        }
    }
}
