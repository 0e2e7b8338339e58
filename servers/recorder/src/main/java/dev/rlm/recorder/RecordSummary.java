package dev.rlm.recorder;

import static java.util.stream.Collectors.joining;

import dev.rlm.cli.Redactions;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.JsonOutput;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.RedactionCounts;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Summary of a recording: counted while it goes on, and told at its end. Safe for use by several threads. */
final class RecordSummary {
    private final Map<Outcome, Long> ended = new EnumMap<>(Outcome.class);
    private long runs;
    private long events;
    private long refused;
    private long unsynced;
    private @Nullable String firstRefusal;

    synchronized void published(RunEvent event) {
        events++;
        if (event instanceof RunStarted) {
            runs++;
        } else if (event instanceof RunEnded end) {
            ended.merge(end.outcome(), 1L, Long::sum);
        }
    }

    /** Counts the lines that were refused, and those that the durable sinks are not known to have. */
    synchronized void answered(List<LineAnswer> answers, @Nullable String problem) {
        for (LineAnswer answer : answers) {
            if (answer.error() == null) {
                unsynced += problem == null ? 0 : 1;
            } else if (refused++ == 0) {
                firstRefusal = "line " + answer.line() + ": " + answer.error();
            }
        }
    }

    /** Returns whether all that came has been recorded, as far as is known. */
    synchronized boolean isComplete() {
        return refused == 0 && unsynced == 0;
    }

    private long of(Outcome outcome) {
        return ended.getOrDefault(outcome, 0L);
    }

    synchronized void print(PrintWriter err, List<SinkStatus> sinks, RedactionCounts redactions) {
        lines().forEach(line -> say(err, line));
        for (SinkStatus status : sinks) {
            warnIfUnavailable(err, status);
            Ledger ledger = status.ledger();
            if (ledger.lost() + ledger.queued() > 0) {
                say(
                        err,
                        "warning: sink '" + status.name() + "' lost " + ledger.lost() + " of " + ledger.offered()
                                + " events: " + ledger.losses() + "; not known to have arrived: " + ledger.queued());
            }
        }
        Redactions.warning(redactions).ifPresent(warning -> say(err, "warning: " + warning));
    }

    /** Returns the counts in words. */
    synchronized List<String> lines() {
        List<String> lines = new ArrayList<>();
        String outcomes = Stream.of(Outcome.values())
                .map(outcome -> of(outcome) + " " + outcome.label())
                .collect(joining(", "));
        lines.add("recorded " + Counted.of(runs, "run") + " (" + outcomes + "), " + Counted.of(events, "event"));
        if (refused > 0) {
            lines.add("warning: " + Counted.of(refused, "line") + " refused; the first: " + firstRefusal);
        }
        if (unsynced > 0) {
            lines.add("warning: " + Counted.of(unsynced, "line") + " not known to be synced");
        }
        return lines;
    }

    synchronized boolean isEmpty() {
        return events + refused + unsynced == 0;
    }

    static void warnIfUnavailable(PrintWriter err, SinkStatus status) {
        if (!status.available() && status.enabled()) {
            say(err, "warning: sink '" + status.name() + "' is not available: " + status.detail());
        }
    }

    static void say(PrintWriter err, String line) {
        err.println(Printable.line(line));
        err.flush();
    }

    synchronized void printJson(PrintWriter out, List<SinkStatus> sinks, RedactionCounts redactions) {
        JsonOutput.print(out, json -> {
            json.writeObjectPropertyStart("summary");
            json.writeNumberProperty("runs", runs);
            for (Outcome outcome : Outcome.values()) {
                json.writeNumberProperty(outcome.label(), of(outcome));
            }
            json.writeNumberProperty("events", events);
            json.writeNumberProperty("refused_lines", refused);
            json.writeNumberProperty("unsynced_lines", unsynced);
            Redactions.write(json, redactions);
            json.writeObjectPropertyStart("sinks");
            for (SinkStatus sink : sinks) {
                json.writeObjectPropertyStart(sink.name());
                JsonOutput.ledger(json, sink.ledger());
                json.writeEndObject();
            }
            json.writeEndObject();
            json.writeEndObject();
        });
    }
}
