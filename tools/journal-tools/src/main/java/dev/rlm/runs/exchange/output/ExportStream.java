package dev.rlm.runs.exchange.output;

import dev.rlm.json.Json;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** Stream of an export that counts bytes and lines and remembers why writing failed, for all of its callers. */
public final class ExportStream extends FilterOutputStream {
    private volatile long bytes;
    private volatile long lines;
    private volatile @Nullable IOException failure;

    ExportStream(OutputStream out) {
        super(out);
    }

    /** Writes JSON on a line. */
    public void line(Object tree) throws IOException {
        write(Json.bytes(tree));
        write('\n');
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread; others look on
    public void write(byte[] data, int from, int length) throws IOException {
        try {
            out.write(data, from, length);
        } catch (IOException e) {
            failure = e;
            throw e;
        }
        bytes += length;
        lines += feeds(data, from, length); // once: to write what others look at takes longer than to read a byte
    }

    private static long feeds(byte[] data, int from, int length) {
        long feeds = 0;
        for (int i = from; i < from + length; i++) {
            feeds += data[i] == '\n' ? 1 : 0;
        }
        return feeds;
    }

    long bytes() {
        return bytes;
    }

    public long lines() {
        return lines;
    }

    /** Throws the exception of an earlier write that failed. */
    public void check() throws IOException {
        IOException failed = failure;
        if (failed != null) {
            throw failed;
        }
    }
}
