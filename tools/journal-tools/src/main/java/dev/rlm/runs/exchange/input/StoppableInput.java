package dev.rlm.runs.exchange.input;

import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * A stream that can be brought to its end from outside. Another thread reads it: who reads standard input waits for what
 * may never come, and no interrupt wakes him.
 */
public final class StoppableInput extends PipedInputStream {
    private static final int CHUNK = 1 << 16;

    private final InputStream source;
    private final PipedOutputStream pipe = new PipedOutputStream();
    private volatile @Nullable IOException failure;
    private boolean started;

    /** Of that source, which is read once somebody reads this. */
    public StoppableInput(InputStream source) throws IOException {
        super(4 * CHUNK);
        this.source = source;
        connect(pipe);
    }

    /** Nothing more comes. On any thread. */
    public void stop() {
        try {
            pipe.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // nothing is written at the end of a pipe
        }
    }

    @Override
    public synchronized int read(byte[] target, int from, int length) throws IOException {
        if (!started) {
            started = true;
            Thread thread = new Thread(this::fill, "rlm-import-input");
            thread.setDaemon(true);
            thread.start();
        }
        int count = super.read(target, from, length);
        IOException failed = failure;
        if (count < 0 && failed != null) {
            throw new IOException(failed.getMessage(), failed);
        }
        return count;
    }

    private void fill() {
        byte[] chunk = new byte[CHUNK];
        try (pipe) {
            for (int count = next(chunk); count >= 0; count = next(chunk)) {
                pipe.write(chunk, 0, count);
                pipe.flush(); // or it is taken a second later
            }
        } catch (IOException e) {
            // stopped
        }
    }

    private int next(byte[] chunk) {
        try {
            return source.read(chunk);
        } catch (IOException e) {
            failure = e;
            return -1;
        }
    }

    /** Leaves it open: read once more, it is at its end. */
    @Override
    public void close() {}
}
