package dev.rlm.sinks.otel.backend;

/** What a {@link HostileExchange} that stalls waits for. */
@FunctionalInterface
interface Stall {
    void await() throws InterruptedException;
}
