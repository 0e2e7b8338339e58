package dev.rlm.sinks.core;

import dev.rlm.sinks.HubProvider;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.Sinks;
import java.util.List;

/** Makes the hubs of this module; found by {@link java.util.ServiceLoader}. */
public final class CoreHubProvider implements HubProvider {
    @Override
    public Sinks.Builder builder() {
        return new HubBuilder();
    }

    @Override
    public List<SinkProvider> providers(SinkConfig config) {
        return List.copyOf(Providers.discover(config).byName().values());
    }
}
