package dev.rlm.collector;

import dev.rlm.cli.http.RefusedException;
import java.util.concurrent.atomic.AtomicLong;

/** Bound of the memory that all requests under way may take together. Safe for use by several threads. */
final class SharedMemory {
    private final long limit;
    private final AtomicLong taken = new AtomicLong();

    SharedMemory(long limit) {
        this.limit = limit;
    }

    Share share() {
        return new Share();
    }

    /** Returns the refusal of a request that is to be sent again later. */
    static RefusedException busy() {
        return new RefusedException(429, "too much is under way: send it again later");
    }

    /** Part of it that one request takes. Of one thread. */
    final class Share implements AutoCloseable {
        private long size;

        private Share() {}

        /** Takes so many bytes more; no request may have more than half of all, which it would wait for in vain. */
        void take(long bytes) throws RefusedException {
            if (size + bytes > limit / 2) {
                throw new RefusedException(413, "the request takes too much of the collector's heap");
            } else if (taken.addAndGet(bytes) > limit) {
                taken.addAndGet(-bytes);
                throw busy();
            }
            size += bytes;
        }

        @Override
        public void close() {
            taken.addAndGet(-size);
            size = 0;
        }
    }
}
