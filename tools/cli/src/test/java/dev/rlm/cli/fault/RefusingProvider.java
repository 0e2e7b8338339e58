package dev.rlm.cli.fault;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;

/** A provider that gives nothing. */
abstract class RefusingProvider implements SinkProvider {
    @Override
    public Sink create(SinkConfig config) {
        throw new UnsupportedOperationException();
    }
}
