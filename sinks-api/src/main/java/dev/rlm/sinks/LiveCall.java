package dev.rlm.sinks;

import dev.rlm.sinks.event.RunEvent;

/**
 * A call that goes on. What its event will tell may be said on any thread, is guarded by the call's monitor and stays as
 * it is once the call is closed; what is said after that is counted as dropped.
 */
abstract sealed class LiveCall permits LiveModelCall, LiveToolCall {
    final LiveRun run;
    final int step;
    final long parentSeq;
    final long startNanos;
    private boolean closed; // guarded by this

    LiveCall(LiveRun run, int step, long parentSeq) {
        this.run = run;
        this.step = step;
        this.parentSeq = parentSeq;
        this.startNanos = run.nanos();
    }

    /** Changes what the event will tell. What takes time, such as redaction, is done before: the monitor is held. */
    final void set(Runnable change) {
        synchronized (this) {
            if (!closed) {
                change.run();
                return;
            }
        }
        run.refuseLate();
    }

    /** Emits the call, once. */
    public final void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        run.emit(this::event); // not under the monitor: it may have to wait
    }

    abstract RunEvent event(long seq, long nanos);
}
