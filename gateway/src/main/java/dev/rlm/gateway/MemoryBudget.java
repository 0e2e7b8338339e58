package dev.rlm.gateway;

import java.util.concurrent.atomic.AtomicLong;

/** Bound of the memory that all requests together may take. Safe for use by several threads. */
final class MemoryBudget {
    private final long limit;
    private final AtomicLong taken = new AtomicLong();

    MemoryBudget(long limit) {
        this.limit = limit;
    }

    Share share() {
        return new Share();
    }

    /** The part of it that one request takes. Used by one thread at a time. */
    final class Share implements AutoCloseable {
        private long size;

        private Share() {}

        /** Returns whether so many bytes more may be taken, which they are then. */
        boolean take(long bytes) {
            if (taken.addAndGet(bytes) > limit) {
                taken.addAndGet(-bytes);
                return false;
            }
            size += bytes;
            return true;
        }

        long size() {
            return size;
        }

        /** Gives back what was taken since it had that size. */
        void shrinkTo(long earlier) {
            taken.addAndGet(earlier - size);
            size = earlier;
        }

        @Override
        public void close() {
            shrinkTo(0);
        }
    }
}
