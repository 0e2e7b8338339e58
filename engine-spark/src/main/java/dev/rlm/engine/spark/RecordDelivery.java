package dev.rlm.engine.spark;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Delivery of an executor's events to the recorder. They arrive in order, so that the first ones are synced there once so many are:
 * a flush would hold up the events of all other episodes. Safe for use by several threads.
 */
final class RecordDelivery {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final Sinks sinks;
    private Ledger ledger; // guarded by this, as is what follows
    private long lookedAt;

    RecordDelivery(Sinks sinks) {
        this.sinks = sinks;
        this.ledger = read();
        this.lookedAt = System.nanoTime();
    }

    private Optional<SinkStatus> status() {
        return sinks.statuses().stream()
                .filter(status -> status.name().equals("record"))
                .findFirst();
    }

    private Ledger read() {
        return status().map(SinkStatus::ledger).orElseThrow();
    }

    /** Returns the ledger as it was a moment ago, read once for all that wait. */
    private synchronized Ledger recent() {
        if (System.nanoTime() - lookedAt > LOOK_NANOS) {
            ledger = read();
            lookedAt = System.nanoTime();
        }
        return ledger;
    }

    boolean isAvailable() {
        return status().filter(SinkStatus::available).isPresent();
    }

    /** Returns how many events were lost: to be asked before an attempt's first one. */
    long lost() {
        return read().lost();
    }

    /** Waits until all events so far have arrived. Returns whether they have in time, and none was lost since there were so many. */
    boolean isWhole(long lostBefore) throws InterruptedException {
        long offered = read().offered();
        long start = System.nanoTime();
        for (Ledger now = recent(); now.delivered() + now.lost() < offered; now = recent()) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                return false;
            }
            TimeUnit.NANOSECONDS.sleep(LOOK_NANOS);
        }
        return read().lost() == lostBefore;
    }
}
