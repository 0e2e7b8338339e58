package dev.rlm.cli.fault;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Gives the sinks that a test has supplied, one after the other, and then fails. */
public final class SuppliedSinkProvider implements SinkProvider {
    static final String NAME = "supplied";

    private static final Queue<Sink> SINKS = new ConcurrentLinkedQueue<>();

    static void supply(Sink... sinks) {
        SINKS.addAll(List.of(sinks));
    }

    static void clear() {
        SINKS.clear();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Sink create(SinkConfig config) {
        return SINKS.remove();
    }
}
