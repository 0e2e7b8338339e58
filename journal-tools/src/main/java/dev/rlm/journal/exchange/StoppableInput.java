package dev.rlm.journal.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * A stream that can be brought to its end from outside. Another thread reads it: who reads standard input waits for what
 * may never come, and no interrupt wakes him.
 */
final class StoppableInput extends InputStream {
    private static final int CHUNK = 1 << 16;
    private static final Chunk END = new Chunk(new byte[0], null);

    private final InputStream in;
    private final BlockingQueue<Chunk> chunks = new ArrayBlockingQueue<>(4);
    private volatile boolean stopped;
    private boolean started;
    private boolean ended;
    private Chunk chunk = END;
    private int from;

    StoppableInput(InputStream in) {
        this.in = in;
    }

    /** Nothing more comes. On any thread. */
    void stop() {
        stopped = true;
        chunks.clear();
        var unused = chunks.offer(END);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int at, int length) throws IOException {
        start();
        if (from == chunk.bytes().length && !next()) {
            return -1;
        }
        int count = Math.min(length, chunk.bytes().length - from);
        System.arraycopy(chunk.bytes(), from, target, at, count);
        from += count;
        return count;
    }

    private void start() {
        if (!started) {
            started = true;
            Thread thread = new Thread(this::fill, "rlm-import-input");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private boolean next() throws IOException {
        if (ended || stopped) {
            return false;
        }
        try {
            chunk = chunks.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        from = 0;
        IOException failure = chunk.failure();
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
        ended = chunk.bytes().length == 0;
        return !ended;
    }

    private void fill() {
        byte[] buffer = new byte[CHUNK];
        try {
            for (int count = in.read(buffer); count >= 0 && !stopped; count = in.read(buffer)) {
                chunks.put(new Chunk(Arrays.copyOf(buffer, count), null));
            }
            chunks.put(END);
        } catch (IOException e) {
            fail(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void fail(IOException e) {
        try {
            chunks.put(new Chunk(new byte[0], e));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What was read: bytes, none at the end, or the failure to. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    private record Chunk(byte[] bytes, @Nullable IOException failure) {}
}
