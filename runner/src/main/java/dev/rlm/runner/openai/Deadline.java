package dev.rlm.runner.openai;

import java.time.Duration;

/** Time at which something is to be over, on the clock of {@link System#nanoTime}. */
record Deadline(long nanos) {
    static Deadline after(Duration time) {
        return new Deadline(System.nanoTime() + time.toNanos());
    }

    Duration left() {
        return Duration.ofNanos(Math.max(0, nanos - System.nanoTime()));
    }
}
