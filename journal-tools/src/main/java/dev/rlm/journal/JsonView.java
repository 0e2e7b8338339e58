package dev.rlm.journal;

import dev.rlm.cli.terminal.Printable;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.JournalJson;
import dev.rlm.sinks.jsonl.RunSummary;
import java.io.PrintWriter;

/** A run's events as they stand in the journal, one a line. */
record JsonView(PrintWriter out) implements RunView {
    @Override
    public void begin(RunSummary run) {}

    @Override
    public void accept(RunEvent event) {
        out.println(Printable.json(JournalJson.event(event)));
    }

    @Override
    public void finish() {}
}
