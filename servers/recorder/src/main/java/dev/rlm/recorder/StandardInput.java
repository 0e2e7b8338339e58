package dev.rlm.recorder;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Takes lines from standard input and answers on standard output, until its end or a stop. */
final class StandardInput {
    private static final int STOP_MILLIS = 1_500;
    private static final int MAX_WAITING = 8 << 20; // bytes of lines that are read ahead
    private static final int MAX_LINES = 4_096; // of them
    private static final RawLine END = new RawLine(0, null);

    private final LineReader reader;
    private final PrintWriter out;
    private final BlockingQueue<RawLine> waiting = new LinkedBlockingQueue<>();
    private final int maxWaiting;
    private final Semaphore room; // bytes
    private final CountDownLatch atEnd = new CountDownLatch(1);
    private volatile @Nullable Throwable failure;
    private volatile boolean stopped;

    StandardInput(InputStream in, PrintWriter out, LineMemory memory) {
        this.reader = new LineReader(in, memory);
        this.maxWaiting = Math.min(MAX_WAITING, memory.maxLine());
        this.room = new Semaphore(maxWaiting);
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
        for (List<RawLine> lines = take(); !lines.isEmpty(); lines = take()) {
            recorder.record(lines, client, refusalsOnly).forEach(out::print);
            out.flush(); // recording goes on if their reader has gone
        }
        Throwable failed = failure;
        if (failed != null) {
            throw new IOException("standard input cannot be read on: " + failed, failed);
        }
    }

    /** All lines there are, once there is one; none at the end. */
    private List<RawLine> take() throws InterruptedException {
        List<RawLine> lines = new ArrayList<>(List.of(waiting.take()));
        waiting.drainTo(lines);
        int end = lines.indexOf(END);
        List<RawLine> taken = end < 0 ? lines : lines.subList(0, end);
        if (end >= 0) {
            waiting.add(END);
        }
        taken.forEach(line -> room.release(place(line)));
        return taken;
    }

    /** A line that is larger than all room takes all of it, and a short one its part of the number of lines. */
    private int place(RawLine line) {
        return Math.min(maxWaiting, Math.max(line.weight(), maxWaiting / MAX_LINES));
    }

    private void read() {
        try {
            for (RawLine line = reader.next(); line != null; line = reader.next()) {
                room.acquire(place(line));
                waiting.add(line);
            }
        } catch (IOException | RuntimeException | Error e) {
            failure = e; // or its end would pass for that of the input
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            atEnd.countDown();
            waiting.add(END);
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
        waiting.add(END);
    }

    /** Returns whether it was stopped before its end. */
    boolean wasStopped() {
        return stopped;
    }
}
