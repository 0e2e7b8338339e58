package dev.rlm.sinks;

import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** Finds the hub's implementation, once in a process, where the API itself was found. */
final class HubLookup {
    private static final String MISSING =
            "dev.rlm:sinks-core is not on the class path: add it, or a sink, which brings it";
    private static final HubProvider FOUND = find();

    private HubLookup() {}

    /** Returns the implementation; where there is none, one that records nothing. */
    static HubProvider provider() {
        return FOUND;
    }

    private static HubProvider find() {
        try {
            Iterator<HubProvider> found = ServiceLoader.load(HubProvider.class, HubProvider.class.getClassLoader())
                    .iterator();
            return found.hasNext() ? found.next() : new NoHub(MISSING);
        } catch (ServiceConfigurationError | LinkageError e) {
            return new NoHub("the hub cannot be loaded: " + e.getMessage());
        }
    }
}
