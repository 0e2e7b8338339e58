package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Event;
import java.util.concurrent.atomic.AtomicBoolean;

/** What becomes of one event: the first word counts, and is told once. Safe for use by several threads. */
final class Fate {
    private final Event event;
    private final Verdicts verdicts;
    private final AtomicBoolean told = new AtomicBoolean();

    Fate(Event event, Verdicts verdicts) {
        this.event = event;
        this.verdicts = verdicts;
    }

    void delivered() {
        if (told.compareAndSet(false, true)) {
            verdicts.delivered(event);
        }
    }

    void dropped(String reason) {
        if (told.compareAndSet(false, true)) {
            verdicts.dropped(event, reason);
        }
    }
}
