package dev.rlm.sinks.core.lane;

import org.jspecify.annotations.Nullable;

/**
 * Notices calls that take too long. It looks about once a second, so that calls need not read a clock. A call is overdue
 * where two looks in a row say so: a process that was stopped for a while has not hung.
 */
final class Watch {
    private @Nullable CallMark mark;
    private long call;
    private long since; // nanoTime of the first look
    private boolean overdue; // at the last look
    private volatile boolean stalled;

    /** Looks at the call that goes on; its number where it is overdue, else {@link CallMark#NONE}. */
    long look(CallMark seen, long now, long patience) {
        long current = seen.current();
        boolean same = current != CallMark.NONE && seen == mark && current == call;
        stalled = same;
        if (!same) {
            mark = seen;
            call = current;
            since = now;
            overdue = false;
            return CallMark.NONE;
        }
        boolean wasOverdue = overdue;
        overdue = now - since - seen.allowance() >= patience;
        return overdue && wasOverdue ? current : CallMark.NONE;
    }

    /** Returns whether two looks have met the same call. Read by any thread. */
    boolean isStalled() {
        return stalled;
    }

    /** Forgets what it saw. */
    void reset() {
        mark = null;
        stalled = false;
    }
}
