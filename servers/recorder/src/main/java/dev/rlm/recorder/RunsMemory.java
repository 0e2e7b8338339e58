package dev.rlm.recorder;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory that open runs and their open steps hold: a share of the heap. What adds to it is accepted while there is room, so
 * that it may exceed its bound by what is accepted at the same time. Safe for use by several threads.
 */
final class RunsMemory {
    private static final int SHARE = 8;
    private static final int ENDED_SHARE = 16;
    private static final int FACTOR = 4; // from the length of a text to what it takes, raw and redacted
    private static final int RUN_SIZE = 2 << 10; // bytes of its objects
    private static final int STEP_SIZE = 1 << 9;

    private final long max;
    private final long maxEnded;
    private final AtomicLong held = new AtomicLong();

    /** The memory of a process with so many bytes of heap. */
    RunsMemory(long heap) {
        max = heap / SHARE;
        maxEnded = heap / ENDED_SHARE;
    }

    /** Returns about what a run takes whose start is a line of that length. */
    static long ofRun(int length) {
        return RUN_SIZE + (long) length * FACTOR;
    }

    /** Returns about what an open step takes whose text has that length. */
    static long ofStep(int length) {
        return STEP_SIZE + (long) length * FACTOR;
    }

    /** Returns how much may be held of runs that have ended. */
    long maxEnded() {
        return maxEnded;
    }

    /** Checks that more may be opened. */
    void checkRoom() {
        if (held.get() > max) {
            throw new LineRefusedException("too much is open: runs and steps that have not ended hold more than "
                    + (max >> 10) + " KiB; end some, or give Java more heap");
        }
    }

    void add(long bytes) {
        held.addAndGet(bytes);
    }
}
