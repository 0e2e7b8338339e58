package dev.rlm.recorder;

import dev.rlm.cli.Redactions;
import dev.rlm.cli.terminal.Json;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.RedactionCounts;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.event.Outcome;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What recording came to. */
final class RecordSummary {
    private final Counts counts;
    private final List<SinkStatus> sinks;
    private final RedactionCounts redactions;

    RecordSummary(Counts counts, List<SinkStatus> sinks, RedactionCounts redactions) {
        this.counts = counts;
        this.sinks = sinks;
        this.redactions = redactions;
    }

    /** Whether all that came has been recorded, as far as is known. */
    boolean isComplete() {
        return counts.refused() == 0 && counts.unsynced() == 0;
    }

    void print(PrintWriter err) {
        String outcomes = Stream.of(Outcome.values())
                .map(outcome -> counts.ofOutcome(outcome) + " " + outcome.label())
                .collect(Collectors.joining(", "));
        say(
                err,
                "recorded " + counted(counts.runs(), "run") + " (" + outcomes + "), "
                        + counted(counts.events(), "event"));
        if (counts.refused() > 0) {
            say(err, "warning: " + counted(counts.refused(), "line") + " refused; the first: " + counts.firstRefusal());
        }
        if (counts.unsynced() > 0) {
            say(err, "warning: " + counted(counts.unsynced(), "line") + " not known to be synced");
        }
        sinks.forEach(status -> warn(err, status));
        Redactions.warning(redactions).ifPresent(warning -> say(err, "warning: " + warning));
        err.flush();
    }

    private static void warn(PrintWriter err, SinkStatus status) {
        Ledger ledger = status.ledger();
        if (!status.available() && status.enabled()) {
            say(err, "warning: sink '" + status.name() + "' is not available: " + status.detail());
        }
        if (ledger.lost() + ledger.queued() > 0) {
            say(
                    err,
                    "warning: sink '" + status.name() + "' lost " + ledger.lost() + " of " + ledger.offered()
                            + " events: " + ledger.losses() + "; not known to have arrived: " + ledger.queued());
        }
    }

    private static void say(PrintWriter err, String line) {
        err.println(Printable.line(line));
    }

    private static String counted(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }

    void printJson(PrintWriter out) {
        Json.print(out, json -> {
            json.writeObjectPropertyStart("summary");
            json.writeNumberProperty("runs", counts.runs());
            for (Outcome outcome : Outcome.values()) {
                json.writeNumberProperty(outcome.label(), counts.ofOutcome(outcome));
            }
            json.writeNumberProperty("events", counts.events());
            json.writeNumberProperty("refused_lines", counts.refused());
            json.writeNumberProperty("unsynced_lines", counts.unsynced());
            Redactions.write(json, redactions);
            json.writeObjectPropertyStart("sinks");
            for (SinkStatus sink : sinks) {
                json.writeObjectPropertyStart(sink.name());
                Json.ledger(json, sink.ledger());
                json.writeEndObject();
            }
            json.writeEndObject();
            json.writeEndObject();
        });
    }
}
