package dev.rlm.sinks;

import java.util.List;

/**
 * Makes hubs. {@link Sinks} finds the implementation by {@link java.util.ServiceLoader}; it is the one of
 * {@code sinks-core}. Of no use to code that records, or to sinks.
 */
public interface HubProvider {
    /** Returns a builder of a hub. */
    Sinks.Builder builder();

    /** Returns the sink providers that the configuration can choose from. */
    List<SinkProvider> providers(SinkConfig config);
}
