package dev.rlm.journal.exchange;

import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.Resent;
import dev.rlm.sinks.jsonl.RunSummary;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The runs of a journal on their way out, in one pass over it. An interrupt of its thread ends it. */
final class Export {
    private final Journal journal;
    private final List<RunSummary> runs;
    private final Destination destination;
    private final Exported exported;
    private volatile int passed;
    private long damagedLines;

    Export(Journal journal, List<RunSummary> runs, Destination destination, Exported exported) {
        this.journal = journal;
        this.runs = runs;
        this.destination = destination;
        this.exported = exported;
    }

    /** How far it has come, on a line. */
    String progress() {
        return passed + " of " + runs.size() + " runs have been read";
    }

    long damagedLines() {
        return damagedLines;
    }

    /** Writes the runs in that form, which is closed. */
    void as(RunForm form) throws IOException {
        try (form) {
            damagedLines = journal.read(runs, (run, events) -> write(form, run, events));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread; another looks on
    private void write(RunForm form, RunSummary run, List<RunEvent> events) {
        try {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException();
            }
            form.write(run, events);
            passed++;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Has a sink write the runs. */
    void by(SinkExport sink) throws IOException {
        Watched out = destination.open("");
        Set<String> ids = runs.stream().map(run -> run.run().runId()).collect(Collectors.toSet());
        Resent resent = sink.write(journal.directory(), ids, out, count -> passed = count);
        out.check();
        if (resent.interrupted()) {
            throw new InterruptedIOException();
        } else if (!resent.isComplete()) {
            throw new IOException(resent.sinks().stream()
                    .map(Resent.ToSink::problem)
                    .filter(problem -> !problem.isEmpty())
                    .collect(Collectors.joining("; ")));
        }
        damagedLines = resent.damagedLines();
        exported.written(resent.runs(), out.lines());
    }
}
