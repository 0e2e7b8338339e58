package dev.rlm.runner.job;

import dev.rlm.cli.Console;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.SinkStatus;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Warns of what is amiss with a job's samples and sinks, and does not stop it; of each unavailable sink once. */
final class SinkWarnings {
    private final Supplier<Console> console;
    private final Set<String> warned = new HashSet<>();

    SinkWarnings(Supplier<Console> console) {
        this.console = console;
    }

    void badLines(List<String> badLines) {
        if (!badLines.isEmpty()) {
            console.get().warn("passed over bad lines: " + badLines.size() + "; the first: " + badLines.get(0));
        }
    }

    void unavailable(List<SinkStatus> statuses) {
        for (SinkStatus status : statuses) {
            String key =
                    status.enabled() ? status.name() : status.detail(); // providers that cannot be loaded share a name
            if (!status.available() && warned.add(key)) {
                console.get().warn("sink '" + status.name() + "' is not available: " + status.detail());
            }
        }
    }

    void losses(SinkStatus status) {
        Ledger ledger = status.ledger();
        if (ledger.lost() > 0) {
            console.get()
                    .warn("sink '" + status.name() + "' lost " + ledger.lost() + " of " + ledger.offered() + " events: "
                            + ledger.losses());
        }
        if (ledger.queued() > 0) {
            console.get()
                    .warn("sink '" + status.name() + "' was given up with " + ledger.queued() + " of "
                            + ledger.offered() + " events not known to have arrived");
        }
    }
}
