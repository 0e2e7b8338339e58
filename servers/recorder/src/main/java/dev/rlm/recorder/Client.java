package dev.rlm.recorder;

import dev.rlm.sinks.event.EventType;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** Sender of lines, one after the other: a program on standard input, or a request. On one thread at a time. */
final class Client {
    private final String scope;
    private final Map<String, ClientRun> open = new LinkedHashMap<>();

    /** One of which it is said, where it must name a run, what would have spared it that. */
    Client(String scope) {
        this.scope = scope;
    }

    void started(ClientRun run) {
        open.put(run.info().runId(), run);
    }

    void ended(ClientRun run) {
        open.remove(run.info().runId());
    }

    /** The run of a line that names none. */
    ClientRun onlyRun(EventType type) {
        Collection<ClientRun> runs = open.values();
        if (runs.size() == 1) {
            return runs.iterator().next();
        }
        throw new LineRefusedException(type.label() + " needs run_id: "
                + (runs.isEmpty() ? "no run is open" : runs.size() + " runs are open") + " " + scope);
    }
}
