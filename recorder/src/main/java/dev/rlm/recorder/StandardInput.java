package dev.rlm.recorder;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Takes lines from standard input and answers on standard output, until its end or a stop. */
final class StandardInput {
    private static final int STOP_MILLIS = 1_500;
    private static final int MAX_WAITING = 8 << 20; // bytes of lines

    private final LineReader reader;
    private final PrintWriter out;
    private final LineQueue queue;
    private final CountDownLatch atEnd = new CountDownLatch(1);
    private volatile @Nullable Throwable failure;
    private volatile boolean stopped;

    StandardInput(InputStream in, PrintWriter out, LineMemory memory) {
        this.reader = new LineReader(in, memory);
        this.queue = new LineQueue(Math.min(MAX_WAITING, memory.maxLine()));
        this.out = out;
    }

    /**
     * Records all there is. Lines that come while a group is synced are the next group.
     *
     * @throws IOException if it cannot be read on
     */
    void record(Recorder recorder, boolean refusalsOnly) throws IOException, InterruptedException {
        RecorderThreads.daemon(this::read, "rlm-record-input").start();
        Client client = new Client("here");
        for (List<RawLine> lines = queue.take(); !lines.isEmpty(); lines = queue.take()) {
            recorder.record(lines, client, refusalsOnly).forEach(out::print);
            out.flush(); // where nobody reads them any more, recording goes on
        }
        Throwable failed = failure;
        if (failed != null) {
            throw new IOException("standard input cannot be read on: " + failed, failed);
        }
    }

    private void read() {
        try {
            for (RawLine line = reader.next(); line != null; line = reader.next()) {
                queue.put(line);
            }
        } catch (IOException | RuntimeException | Error e) {
            failure = e; // or its end would pass for that of the input
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            atEnd.countDown();
            queue.end();
        }
    }

    /**
     * Takes no more lines. Ctrl-C in a terminal stops the program that sends them as well, and it may have something to
     * say yet: so the end is waited for, a little.
     */
    void stop() {
        try {
            stopped = !atEnd.await(STOP_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            stopped = true;
            Thread.currentThread().interrupt();
        }
        queue.end();
    }

    /** Whether it was stopped before its end. */
    boolean wasStopped() {
        return stopped;
    }
}
