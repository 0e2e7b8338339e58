package dev.rlm.sinks;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.LoggerFactory;

/**
 * Hubs where the implementation is missing: they record nothing, keep none of the sinks that they are given, and say so once
 * in the log, when the first is made.
 */
final class NoHub implements HubProvider {
    private static final HubProvider FOUND = find();

    private final String reason;
    private final AtomicBoolean said = new AtomicBoolean();

    private NoHub(String reason) {
        this.reason = reason;
    }

    /** Returns the implementation that was found, once in a process, where the API itself was; this one where there is none. */
    static HubProvider orFound() {
        return FOUND;
    }

    private static HubProvider find() {
        try {
            return ServiceLoader.load(HubProvider.class, HubProvider.class.getClassLoader())
                    .findFirst()
                    .orElseGet(() -> new NoHub(
                            "dev.rlm:sinks-core is not on the class path: add it, or a sink, which brings it"));
        } catch (ServiceConfigurationError | LinkageError e) {
            return new NoHub("the hub cannot be loaded: " + e.getMessage());
        }
    }

    @Override
    public Sinks.Builder builder() {
        return (Sinks.Builder) Proxy.newProxyInstance(
                NoHub.class.getClassLoader(),
                new Class<?>[] {Sinks.Builder.class},
                (builder, method, arguments) -> method.getReturnType() == Sinks.class ? hub() : builder);
    }

    @Override
    public List<SinkProvider> providers(SinkConfig config) {
        return List.of();
    }

    private Sinks hub() {
        if (said.compareAndSet(false, true)) {
            LoggerFactory.getLogger("dev.rlm.sinks").warn("nothing is recorded: {}", reason);
        }
        return new NoSinks(new SinkStatus("?", true, false, reason, Ledger.EMPTY));
    }

    /**
     * A hub without sinks.
     *
     * @param missing its one status, so that a flush of it is never complete
     */
    private record NoSinks(SinkStatus missing) implements Sinks {
        @Override
        public List<SinkStatus> statuses() {
            return List.of(missing);
        }

        @Override
        public List<SinkStatus> check(Duration timeout) {
            return statuses();
        }

        @Override
        public FlushResult flush(Duration timeout) {
            return new FlushResult(new TreeMap<>(Map.of(missing.name(), false)));
        }
    }
}
