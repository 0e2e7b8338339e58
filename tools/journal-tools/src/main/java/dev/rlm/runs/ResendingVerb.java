package dev.rlm.runs;

import dev.rlm.cli.Deliveries;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.recorded.JournalVerb;
import dev.rlm.cli.terminal.JsonOutput;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.recovery.Resent;
import dev.rlm.journal.recovery.Resent.ToSink;
import dev.rlm.sinks.Sinks;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import tools.jackson.core.JsonGenerator;

/** Verb that sends a journal through sinks again. */
abstract class ResendingVerb extends JournalVerb {
    @Option(
            names = "--sink",
            paramLabel = "NAME",
            description = "Send to exactly the sinks named, whatever the variables say. May be repeated.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    /** Has the hub's builder make one for what is done. */
    abstract Sinks.Builder purpose(Sinks.Builder builder);

    /** Sends the journal, and says meanwhile how far it is. */
    abstract Resent send(Path journal, Sinks sinks);

    /** Prints what was done. */
    abstract void print(Resent resent);

    /** Writes what was done as properties. */
    abstract void write(JsonGenerator generator, Resent resent);

    /** Tells what else went wrong; whether nothing did. */
    abstract boolean tellProblems(Resent resent);

    @Override
    protected final int execute() throws Exception {
        return interruptibly(this::resend);
    }

    private int resend() {
        Path journal = directory();
        Sinks.Builder builder = purpose(Sinks.builder().config(config()));
        try (Sinks sinks = (names.isEmpty() ? builder : builder.only(names)).build()) {
            checkNotInto(journal, sinks);
            Resent resent = send(journal, sinks);
            sinks.close(Interruption.CLOSE_TIME);
            boolean interrupted = Thread.interrupted() || resent.interrupted();
            if (json) {
                JsonOutput.print(out(), generator -> write(generator, resent));
            } else {
                print(resent);
            }
            out().flush();
            boolean complete = tellProblems(resent) && resent.isComplete();
            warn(resent);
            return interrupted ? Interruption.EXIT_CODE : complete ? CommandLine.ExitCode.OK : 1;
        }
    }

    private static void checkNotInto(Path journal, Sinks sinks) {
        Path source = real(journal);
        sinks.recordPaths().forEach((name, record) -> {
            Path target = real(record);
            Path folder = target.getParent();
            if (target.startsWith(source) || (folder != null && source.startsWith(folder))) {
                throw new JournalException("sink '" + name + "' would write into the journal that is read, at "
                        + journal + ": a copy needs another folder");
            }
        });
    }

    /** The path without links, as far as there is something at it. */
    private static Path real(Path path) {
        Path parent = path.toAbsolutePath().normalize().getParent();
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return parent == null ? path : real(parent).resolve(path.getFileName());
        }
    }

    final void line(String name, String text) {
        out().println(Printable.line("%-8s %s".formatted(name, text)));
    }

    /** Prints a line for each sink. */
    final void printSinks(Resent resent) {
        resent.sinks().forEach(sink -> line(sink.name(), Deliveries.text(sink.ledger(), sink.target())));
    }

    /** A line for each sink at which not everything has arrived: why, and what can be done. */
    private void warn(Resent resent) {
        for (ToSink sink : resent.sinks()) {
            if (!sink.isComplete() && !resent.interrupted()) {
                err().println(Printable.line("rlm: not everything has arrived at '" + sink.name() + "': "
                        + sink.problem() + "; when it works, "
                        + given().commandSpec().name()
                        + " again: what has arrived does not double"));
            }
        }
        err().flush();
    }

    /** Writes what was sent. */
    static void writeSent(JsonGenerator json, Resent resent) {
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
            JsonOutput.ledger(json, sink.ledger());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
