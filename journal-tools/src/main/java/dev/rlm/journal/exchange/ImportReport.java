package dev.rlm.journal.exchange;

import dev.rlm.cli.Deliveries;
import dev.rlm.cli.Redactions;
import dev.rlm.cli.terminal.Json;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.sinks.RedactionCounts;
import dev.rlm.sinks.jsonl.Resent;
import java.io.PrintWriter;
import java.util.List;

/** Tells what came of an import. */
record ImportReport(Importer importer, List<Resent.ToSink> sinks, RedactionCounts redactions) {
    private static final int TOLD_FIELDS = 10;

    void print(PrintWriter out) {
        line(out, "imported", counted(importer.imported(), "run"));
        if (importer.knownBefore() > 0) {
            line(out, "left out", counted(importer.knownBefore(), "run") + " known already, or alike in all fields");
        }
        if (importer.bad() > 0) {
            line(out, "bad", counted(importer.bad(), "line"));
        }
        for (Resent.ToSink sink : sinks) {
            line(out, sink.name(), Deliveries.text(sink.ledger(), sink.target()));
        }
        out.flush();
    }

    private static String counted(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }

    private static void line(PrintWriter out, String name, String text) {
        out.println(Printable.line("%-8s %s".formatted(name, text)));
    }

    void printJson(PrintWriter out) {
        Json.print(out, json -> {
            json.writeNumberProperty("imported", importer.imported());
            json.writeNumberProperty("known_before", importer.knownBefore());
            json.writeNumberProperty("bad_lines", importer.bad());
            json.writeArrayPropertyStart("unknown_fields");
            importer.unknownFields().forEach((field, lines) -> {
                json.writeStartObject();
                json.writeStringProperty("field", field);
                json.writeNumberProperty("lines", lines);
                json.writeEndObject();
            });
            json.writeEndArray();
            json.writeBooleanProperty("interrupted", importer.wasStopped());
            Redactions.write(json, redactions);
            json.writeArrayPropertyStart("sinks");
            for (Resent.ToSink sink : sinks) {
                json.writeStartObject();
                json.writeStringProperty("name", sink.name());
                json.writeStringProperty("target", sink.target());
                json.writeStringProperty("problem", sink.problem());
                Json.ledger(json, sink.ledger());
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    void warn(PrintWriter err) {
        String said = importer.gaveUp() ? "rlm: " : "warning: passed over ";
        importer.badLines().forEach(line -> err.println(Printable.line(said + line)));
        if (importer.gaveUp()) {
            err.println("what was imported before it stays; --skip-bad-lines passes over such lines");
        }
        warnOfUnknownFields(err);
        if (importer.cutOff() > 0) {
            err.println("warning: of the runs known already, " + importer.cutOff()
                    + " have fewer events there than here: they were cut off, or are others with the same id");
        }
        for (Resent.ToSink sink : sinks) {
            if (!sink.isComplete() && !importer.wasStopped()) {
                err.println(Printable.line("rlm: not everything has arrived at '" + sink.name() + "': " + sink.problem()
                        + "; what the journal has, resend sends again"));
            }
        }
        Redactions.warning(redactions).ifPresent(warning -> err.println("warning: " + warning));
        if (importer.wasStopped()) {
            err.println("interrupted: what was imported stays; to import again goes on with the rest");
        }
        err.flush();
    }

    private void warnOfUnknownFields(PrintWriter err) {
        importer.unknownFields().entrySet().stream()
                .limit(TOLD_FIELDS)
                .forEach(field -> err.println(Printable.line("warning: \"" + field.getKey()
                        + "\" is not known and was not taken over, in " + counted(field.getValue(), "line"))));
        int more = importer.unknownFields().size() - TOLD_FIELDS;
        if (more > 0) {
            err.println("warning: nor were " + more + (importer.hasMoreUnknownFields() ? " or more" : "")
                    + " other fields (--json tells which)");
        }
    }
}
