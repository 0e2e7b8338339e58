package dev.rlm.runs.exchange.output;

import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.JsonOutput;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;

/** The runs of a journal on their way out: where they go, how far they have come, and what was left out for which reason. */
public final class Export {
    private static final double MEGABYTE = 1e6;

    private final Journal journal;
    private final List<RunSummary> runs;
    private final Destination destination;
    private final Map<String, Long> leftOut = new LinkedHashMap<>();
    private volatile int passed;
    private int written;
    private long records;
    private long damagedLines;

    /** Of the runs chosen, those that have ended. */
    public Export(Journal journal, List<RunSummary> chosen, Destination destination) {
        this.journal = journal;
        this.runs =
                chosen.stream().filter(run -> run.state() != RunState.RUNNING).toList();
        this.destination = destination;
        leftOut("running", chosen.size() - runs.size());
    }

    public Journal journal() {
        return journal;
    }

    public List<RunSummary> runs() {
        return runs;
    }

    /** Begins to write; the name tells which file of a folder. */
    public ExportStream open(String table) throws IOException {
        return destination.open(table);
    }

    /** Writes a file of a folder whose names follow from the runs. */
    public void write(String file, byte[] content) throws IOException {
        destination.write(file, content);
    }

    /** Has each run written, in one pass over the journal. */
    public void each(RunWriter writer) throws IOException {
        try {
            damaged(journal.read(runs, (run, events) -> write(() -> writer.write(run, events))));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /**
     * Has each run formatted, and what was made of it written, in one pass over the journal.
     *
     * @param formatter called on any core
     */
    public <T> void each(BiFunction<RunSummary, List<RunEvent>, T> formatter, Writer<T> writer) throws IOException {
        try {
            damaged(journal.read(runs, formatter, formatted -> write(() -> writer.write(formatted))));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void write(Writing writing) {
        try {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException();
            }
            writing.write();
            passed(passed + 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** So many runs have been read. */
    public void passed(int count) {
        passed = count;
    }

    /** So many damaged lines were passed over. */
    public void damaged(long lines) {
        damagedLines = lines;
    }

    /** So many runs were written, in so many records. */
    public void written(int moreRuns, long moreRecords) {
        written += moreRuns;
        records += moreRecords;
    }

    /** So many runs, or records of them, were left out. */
    public void leftOut(String reason, long count) {
        if (count > 0) {
            leftOut.merge(reason, count, Long::sum);
        }
    }

    /** Returns the progress, on a line. On any thread. */
    public String progress() {
        return passed + " of " + runs.size() + " runs have been read";
    }

    public void print(PrintWriter out) {
        String size = destination.bytes() < MEGABYTE
                ? String.format(Locale.ROOT, "%,d bytes", destination.bytes())
                : String.format(Locale.ROOT, "%,.1f MB", destination.bytes() / MEGABYTE);
        String to = destination.isStandardOutput() ? "" : ": " + destination.name();
        out.println(Printable.line(
                "written  " + Counted.of(written, "run") + ", " + Counted.of(records, "record") + ", " + size + to));
        leftOut.forEach((reason, count) -> out.println(Printable.line("left out " + count + ": " + reason)));
        out.flush();
    }

    public void printJson(PrintWriter out, String format) {
        JsonOutput.print(out, json -> {
            json.writeStringProperty("format", format);
            json.writeStringProperty("output", destination.name());
            json.writeNumberProperty("runs", written);
            json.writeNumberProperty("records", records);
            json.writeNumberProperty("bytes", destination.bytes());
            json.writeObjectPropertyStart("left_out");
            leftOut.forEach((reason, count) -> json.writeNumberProperty(reason, count));
            json.writeEndObject();
            json.writeNumberProperty("damaged_lines", damagedLines);
        });
    }

    public void warn(PrintWriter err) {
        if (damagedLines > 0) {
            err.println("warning: damaged lines passed over: " + damagedLines);
        }
    }

    /** Writes a run, or counts why it is left out. */
    @FunctionalInterface
    public interface RunWriter {
        void write(RunSummary run, List<RunEvent> events) throws IOException;
    }

    /** Writes what was made of a run. */
    @FunctionalInterface
    public interface Writer<T> {
        void write(T formatted) throws IOException;
    }

    @FunctionalInterface
    private interface Writing {
        void write() throws IOException;
    }
}
