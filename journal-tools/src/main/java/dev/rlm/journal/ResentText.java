package dev.rlm.journal;

import dev.rlm.cli.Deliveries;
import dev.rlm.cli.terminal.Json;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.sinks.jsonl.Resent;
import dev.rlm.sinks.jsonl.Resent.ToSink;
import java.io.PrintWriter;
import tools.jackson.core.JsonGenerator;

/** Tells what came of sending a journal again. */
final class ResentText {
    private ResentText() {}

    /** A line for each sink. */
    static void print(PrintWriter out, Resent resent) {
        for (ToSink sink : resent.sinks()) {
            line(out, sink.name(), Deliveries.text(sink.ledger(), sink.target()));
        }
    }

    static void line(PrintWriter out, String name, String text) {
        out.println(Printable.line("%-8s %s".formatted(name, text)));
    }

    /** A line for each sink at which not everything has arrived: why, and what can be done. */
    static void warn(PrintWriter err, Resent resent, String again) {
        for (ToSink sink : resent.sinks()) {
            if (!sink.isComplete() && !resent.interrupted()) {
                err.println(Printable.line("rlm: not everything has arrived at '" + sink.name() + "': "
                        + sink.problem() + "; when it works, " + again
                        + " again: what has arrived does not double"));
            }
        }
        err.flush();
    }

    static void write(JsonGenerator json, Resent resent) {
        json.writeNumberProperty("runs", resent.runs());
        json.writeNumberProperty("events", resent.events());
        json.writeNumberProperty("damaged_lines", resent.damagedLines());
        json.writeBooleanProperty("interrupted", resent.interrupted());
        json.writeBooleanProperty("complete", resent.isComplete());
        json.writeArrayPropertyStart("sinks");
        for (ToSink sink : resent.sinks()) {
            json.writeStartObject();
            json.writeStringProperty("name", sink.name());
            json.writeStringProperty("target", sink.target());
            json.writeBooleanProperty("complete", sink.isComplete());
            json.writeStringProperty("problem", sink.problem());
            Json.ledger(json, sink.ledger());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
