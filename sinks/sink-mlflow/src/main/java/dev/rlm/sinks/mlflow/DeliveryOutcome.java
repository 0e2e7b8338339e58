package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Event;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Outcome of one event: it has arrived with its last part, or is lost with the first that is. Told once. Safe for use by several
 * threads.
 */
final class DeliveryOutcome {
    private final Event event;
    private final DeliveryListener listener;
    private final AtomicInteger parts = new AtomicInteger(1); // that have not arrived
    private final AtomicBoolean told = new AtomicBoolean();

    DeliveryOutcome(Event event, DeliveryListener listener) {
        this.event = event;
        this.listener = listener;
    }

    /** It arrives in so many parts in place of one. */
    void split(int into) {
        parts.addAndGet(into - 1);
    }

    void delivered() {
        if (parts.decrementAndGet() == 0 && told.compareAndSet(false, true)) {
            listener.delivered(event);
        }
    }

    void dropped(String reason) {
        if (told.compareAndSet(false, true)) {
            listener.dropped(event, reason);
        }
    }
}
