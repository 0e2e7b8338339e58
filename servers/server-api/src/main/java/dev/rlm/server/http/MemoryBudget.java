package dev.rlm.server.http;

import java.util.concurrent.atomic.AtomicLong;

/** Bound of the memory that all requests together may take. Safe for use by several threads. */
public final class MemoryBudget {
    private final long limit;
    private final AtomicLong taken = new AtomicLong();

    /** Bounds it to so many bytes. */
    public MemoryBudget(long limit) {
        this.limit = limit;
    }

    /** Returns the part of a request, which has taken nothing so far. */
    public Share share() {
        return new Share();
    }

    /** The part of it that one request takes. Used by one thread at a time. */
    public final class Share implements AutoCloseable {
        private long size;

        private Share() {}

        /** Returns whether so many bytes more may be taken, which they are then. */
        public boolean take(long bytes) {
            if (taken.addAndGet(bytes) > limit) {
                taken.addAndGet(-bytes);
                return false;
            }
            size += bytes;
            return true;
        }

        /** Returns whether it would have more than half of all with so many bytes more. */
        public boolean wouldExceedHalf(long bytes) {
            return size + bytes > limit / 2;
        }

        /** Returns how many bytes it has taken. */
        public long size() {
            return size;
        }

        /** Gives back what was taken since it had that size. */
        public void shrinkTo(long earlier) {
            taken.addAndGet(earlier - size);
            size = earlier;
        }

        @Override
        public void close() {
            shrinkTo(0);
        }
    }
}
