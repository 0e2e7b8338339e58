package dev.rlm.cli;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import java.util.List;

/** A sink that takes events and does nothing with them. */
public final class KeptSinkProvider implements SinkProvider {
    @Override
    public String name() {
        return "kept";
    }

    @Override
    public List<Variable> variables() {
        return List.of(
                new Variable("RLM_KEPT_FILE", "", "where to write a word about each event"),
                new Variable("RLM_KEPT_URL", "", "where its runs are said to be seen"));
    }

    @Override
    public Sink create(SinkConfig config) {
        return new Sink() {};
    }
}
