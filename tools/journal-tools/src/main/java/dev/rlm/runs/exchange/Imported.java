package dev.rlm.runs.exchange;

import dev.rlm.cli.Deliveries;
import dev.rlm.cli.Redactions;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.JsonOutput;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.journal.recovery.Resent;
import dev.rlm.sinks.RedactionCounts;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts what comes of an import, and tells of it. Counted by one thread, while others look on or stop it. */
final class Imported {
    private static final int TOLD_LINES = 5;
    private static final int TOLD_FIELDS = 10;
    private static final int MAX_FIELDS = 100;

    private final boolean skipBadLines;
    private final List<String> badLines = new ArrayList<>(); // the first of them
    private final Map<String, Long> unknownFields =
            new LinkedHashMap<>(); // with the number of lines; the first of them
    private boolean otherFields;
    private @Nullable String failure;
    private int knownBefore;
    private int cutOff;
    private long bad;
    private volatile int runs;
    private volatile boolean stopped;

    /**
     * Nothing so far.
     *
     * @param skipBadLines whether to pass over lines that are not as they should be
     */
    Imported(boolean skipBadLines) {
        this.skipBadLines = skipBadLines;
    }

    /** A run was imported. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread; others look on
    void run() {
        runs++;
    }

    /** A run is there already, perhaps with fewer events. */
    void known(boolean fewerEvents) {
        knownBefore++;
        cutOff += fewerEvents ? 1 : 0;
    }

    /** A line is not as it should be. */
    void bad(String message) {
        bad++;
        if (badLines.size() < TOLD_LINES) {
            badLines.add(message);
        }
    }

    /** Not all could be read. */
    void failed(String reason) {
        failure = reason;
    }

    /** A field of a line was not taken over. */
    void unknown(String field) {
        if (unknownFields.size() < MAX_FIELDS || unknownFields.containsKey(field)) {
            unknownFields.merge(field, 1L, Long::sum);
        } else {
            otherFields = true;
        }
    }

    /** Has it end after the run under way. On any thread. */
    void stop() {
        stopped = true;
    }

    boolean wasStopped() {
        return stopped;
    }

    /** Returns whether it ended because of a bad line. */
    private boolean gaveUp() {
        return bad > 0 && !skipBadLines;
    }

    /** Returns whether all was read, but for lines to be passed over. */
    boolean isComplete() {
        return failure == null && !gaveUp();
    }

    /** Returns whether to take no more. */
    boolean isOver() {
        return stopped || gaveUp();
    }

    /** Returns the progress, on a line. On any thread. */
    String progress() {
        return Counted.of(runs, "run has", "runs have") + " been imported";
    }

    void print(PrintWriter out, List<Resent.ToSink> sinks) {
        line(out, "imported", Counted.of(runs, "run"));
        if (knownBefore > 0) {
            line(out, "left out", Counted.of(knownBefore, "run") + " known already, or alike in all fields");
        }
        if (bad > 0) {
            line(out, "bad", Counted.of(bad, "line"));
        }
        for (Resent.ToSink sink : sinks) {
            line(out, sink.name(), Deliveries.text(sink.ledger(), sink.target()));
        }
        out.flush();
    }

    private static void line(PrintWriter out, String name, String text) {
        out.println(Printable.line("%-8s %s".formatted(name, text)));
    }

    void printJson(PrintWriter out, List<Resent.ToSink> sinks, RedactionCounts redactions) {
        JsonOutput.print(out, json -> {
            json.writeNumberProperty("imported", runs);
            json.writeNumberProperty("known_before", knownBefore);
            json.writeNumberProperty("bad_lines", bad);
            json.writeArrayPropertyStart("unknown_fields");
            unknownFields.forEach((field, lines) -> {
                json.writeStartObject();
                json.writeStringProperty("field", field);
                json.writeNumberProperty("lines", lines);
                json.writeEndObject();
            });
            json.writeEndArray();
            json.writeBooleanProperty("interrupted", stopped);
            Redactions.write(json, redactions);
            json.writeArrayPropertyStart("sinks");
            for (Resent.ToSink sink : sinks) {
                json.writeStartObject();
                json.writeStringProperty("name", sink.name());
                json.writeStringProperty("target", sink.target());
                json.writeStringProperty("problem", sink.problem());
                JsonOutput.ledger(json, sink.ledger());
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    void warn(PrintWriter err, List<Resent.ToSink> sinks, RedactionCounts redactions) {
        String said = gaveUp() ? "rlm: " : "warning: passed over ";
        badLines.forEach(line -> err.println(Printable.line(said + line)));
        if (gaveUp()) {
            err.println("what was imported before it stays; --skip-bad-lines passes over such lines");
        }
        warnOfUnknownFields(err);
        if (cutOff > 0) {
            err.println("warning: of the runs known already, " + cutOff
                    + " have fewer events there than here: they were cut off, or are others with the same id");
        }
        for (Resent.ToSink sink : sinks) {
            if (!sink.isComplete() && !stopped) {
                err.println(Printable.line("rlm: not everything has arrived at '" + sink.name() + "': " + sink.problem()
                        + "; what the journal has, resend sends again"));
            }
        }
        Redactions.warning(redactions).ifPresent(warning -> err.println("warning: " + warning));
        if (stopped) {
            err.println("interrupted: what was imported stays; to import again goes on with the rest");
        }
        if (failure != null) {
            err.println(Printable.line("rlm: " + failure));
        }
        err.flush();
    }

    private void warnOfUnknownFields(PrintWriter err) {
        unknownFields.entrySet().stream()
                .limit(TOLD_FIELDS)
                .forEach(field -> err.println(Printable.line("warning: \"" + field.getKey()
                        + "\" is not known and was not taken over, in " + Counted.of(field.getValue(), "line"))));
        int more = unknownFields.size() - TOLD_FIELDS;
        if (more > 0) {
            err.println("warning: nor were " + more + (otherFields ? " or more" : "")
                    + " other fields (--json tells which)");
        }
    }
}
