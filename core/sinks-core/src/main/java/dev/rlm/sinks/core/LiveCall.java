package dev.rlm.sinks.core;

import dev.rlm.sinks.event.RunEvent;

/**
 * A call that goes on. What its event will tell may be said on any thread, is guarded by its monitor and stays as it is
 * once the call is closed; what is said after that is counted as dropped, unless the run's time was up.
 *
 * <p>Its run ends it if it has not been closed, and takes the monitor while it holds its own lock. So a thread that has
 * the monitor must not ask for that lock.
 */
abstract class LiveCall extends OpenNode {
    final RunRecorder run;
    final int step;
    final long parentSeq;
    final long startNanos;
    private final Object monitor = new Object(); // not the handle: its owner may hold that, and wait for the run's lock
    private boolean closed; // guarded by the monitor
    private boolean endedWithRun; // stays as it is once the call is closed

    LiveCall(RunRecorder run, int step, long parentSeq) {
        this.run = run;
        this.step = step;
        this.parentSeq = parentSeq;
        this.startNanos = run.nanos();
    }

    /** Changes what the event will tell. What takes time, such as redaction, is done before: the monitor is held. */
    final void set(Runnable change) {
        if (!change(change)) {
            run.refuseLate();
        }
    }

    /** Sets the failure of the call as {@link #set} does; ignored if the run already ended this call. */
    final void setFailed(Runnable change) {
        if (!change(change) && !endedWithRun) {
            run.refuseLate();
        }
    }

    private boolean change(Runnable change) {
        synchronized (monitor) {
            if (!closed) {
                change.run();
            }
            return !closed;
        }
    }

    /** Emits the call, once. */
    public final void close() {
        synchronized (monitor) {
            if (closed) {
                return;
            }
            closed = true;
        }
        run.endCall(this); // not under the monitor: it may have to wait
    }

    /** Ends it because its run ends; as it is, where it was closed just now. Emits nothing. */
    final void endWithRun() {
        synchronized (monitor) {
            if (!closed) {
                closed = true;
                endedWithRun = true;
                leave("the run ended before the call");
            }
        }
    }

    /** Notes that it was not closed, unless it has failed before. */
    abstract void leave(String reason);

    abstract RunEvent event(long seq, long nanos);
}
