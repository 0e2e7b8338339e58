package dev.rlm.sinks;

import dev.rlm.sinks.SinkProvider.Variable;
import java.util.List;

/**
 * Makes hubs. {@link Sinks} finds the implementation by {@link java.util.ServiceLoader}; it is the one of
 * {@code sinks-core}. Of no use to code that records, or to sinks.
 */
public interface HubProvider {
    /** Returns a builder of a hub. */
    Sinks.Builder builder();

    /** Returns the variables that hubs read, whatever their sinks. */
    default List<Variable> variables() {
        return List.of();
    }

    /** Returns the sink providers that the configuration can choose from. */
    List<SinkProvider> providers(SinkConfig config);
}
