package dev.rlm.journal.exchange;

import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.RunSummary;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** A form in which runs are written, one after the other. */
interface RunForm extends Closeable {
    /** Writes a run, or counts why it is left out. */
    void write(RunSummary run, List<RunEvent> events) throws IOException;

    /** Writes what is left. The streams below it are the maker's to close. */
    @Override
    void close() throws IOException;
}
