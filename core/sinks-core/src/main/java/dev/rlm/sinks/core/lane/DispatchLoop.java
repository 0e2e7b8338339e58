package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.Sink;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Loop of a lane's thread: takes what is queued and hands it to the sink, until the lane closes or the thread is given up. It takes
 * all there is and then sleeps for five milliseconds, or for twenty where little came twice in a row, since to wake up costs more than a
 * few events do; for longer after a second without work, and after ten.
 *
 * <p>Where a call was given up meanwhile, the thread touches nothing of the lane before its {@link Supervisor} lets it.
 */
final class DispatchLoop implements Runnable {
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long CALM_NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int FEW = 128;
    private static final long LONG_NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long IDLE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long ASLEEP_AFTER_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Supervisor supervisor;
    private final LaneParts parts;
    private final EventQueue events;
    private final LaneQueue queue;
    private final Thread thread;
    private volatile CallMark mark = new CallMark();
    private volatile @Nullable Supplier<Sink> factory; // until the sink has been made
    private @Nullable Sink sink; // the last that it had
    private long lastWork;

    /**
     * A thread to be started.
     *
     * @param factory makes the sink, on this thread; {@code null} where the lane has one
     */
    DispatchLoop(Supervisor supervisor, LaneParts parts, @Nullable Supplier<Sink> factory) {
        this.supervisor = supervisor;
        this.parts = parts;
        this.events = parts.events();
        this.queue = parts.queue();
        this.factory = factory;
        this.thread = new Thread(this, "rlm-sink-" + parts.name());
        thread.setDaemon(true);
    }

    Thread thread() {
        return thread;
    }

    CallMark mark() {
        return mark;
    }

    /** Returns the factory that is still to make the sink; {@code null} once the sink is there. */
    @Nullable
    Supplier<Sink> factory() {
        return factory;
    }

    /** Lets it go on after a call that was given up. */
    void renew() {
        mark = new CallMark();
    }

    @Override
    @SuppressWarnings("CatchThrowable") // a lane outlives whatever ends its thread
    public void run() {
        boolean goesOn = true;
        while (goesOn) {
            goesOn = false;
            try {
                work();
            } catch (GivenUpException e) {
                goesOn = supervisor.mayGoOn(this);
                if (!goesOn) {
                    closeQuietly();
                }
            } catch (Throwable e) {
                if (!supervisor.restart(this, e)) {
                    closeQuietly();
                }
            }
        }
    }

    private void work() throws GivenUpException {
        Supplier<Sink> maker = factory;
        if (maker != null) {
            make(maker);
        }
        SinkCounts counts = Objects.requireNonNull(parts.counts().current(), "a sink serves");
        sink = counts.sink().unguarded();
        SinkInvoker invoker = new SinkInvoker(parts, counts, mark);
        takeUntilClosed(invoker);
        invoker.drain();
        invoker.close(queue.closeTime());
        supervisor.closed();
    }

    private void make(Supplier<Sink> maker) throws GivenUpException {
        boolean kept;
        mark.enter("its making", 0);
        try {
            sink = Objects.requireNonNull(maker.get(), "its making gave no sink");
        } finally {
            kept = mark.leave();
        }
        if (!kept && !supervisor.mayGoOn(this)) {
            throw new GivenUpException();
        }
        supervisor.made(sink);
        factory = null;
    }

    private void takeUntilClosed(SinkInvoker invoker) throws GivenUpException {
        lastWork = System.nanoTime();
        boolean calm = false; // little came the last time
        while (true) {
            LaneQueue.Flush flush = queue.pollFlush(); // before draining: what was offered before it is then drained
            boolean closing = queue.isClosing();
            long drained = invoker.drain();
            boolean worked = drained > 0;
            if (flush != null) {
                answer(flush, invoker);
                worked = true;
            }
            if (worked) {
                lastWork = System.nanoTime();
            } else if (closing) {
                return;
            }
            if (queue.isUnasked()) {
                rest(invoker, calm && drained < FEW ? CALM_NAP_NANOS : NAP_NANOS);
            }
            calm = drained < FEW;
            Thread.interrupted(); // an interrupt means nothing to this thread
        }
    }

    private static void answer(LaneQueue.Flush flush, SinkInvoker invoker) throws GivenUpException {
        boolean arrived = false;
        try {
            arrived = invoker.flush(LaneQueue.until(flush.by()));
        } finally {
            flush.answer().complete(arrived);
        }
    }

    private void rest(SinkInvoker invoker, long nap) throws GivenUpException {
        long idle = System.nanoTime() - lastWork;
        if (idle <= IDLE_AFTER_NANOS) {
            events.rest(nap);
            return;
        }
        invoker.askWhatIsOwed();
        if (idle <= ASLEEP_AFTER_NANOS) {
            events.rest(LONG_NAP_NANOS);
        } else {
            events.sleep();
        }
    }

    @SuppressWarnings("CatchThrowable") // of a sink that was given up
    private void closeQuietly() {
        Sink last = sink;
        if (last != null) {
            try {
                last.close();
            } catch (Throwable e) {
                parts.log().warn("late close", "close failed after it was given up: " + Throwables.describe(e));
            }
        }
    }
}
