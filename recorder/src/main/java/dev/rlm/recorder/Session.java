package dev.rlm.recorder;

import dev.rlm.sinks.Sinks;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** All that records, from the first line to the last. */
record Session(Sinks sinks, Counts counts, RecordedRuns runs, Commits commits, LineMemory memory, Recorder recorder)
        implements AutoCloseable {
    /**
     * A session that has not begun.
     *
     * @param earlier the ids of the runs that ended before it; asked once, and only if a client names a run itself
     */
    static Session open(Sinks sinks, Totals.Solved solved, Supplier<Set<String>> earlier) {
        UnaryOperator<String> redaction = text -> sinks.content(text).text();
        Counts counts = new Counts();
        RecordedRuns runs = new RecordedRuns(sinks, redaction, solved, counts, earlier);
        Commits commits = new Commits(sinks);
        LineMemory memory = new LineMemory(Runtime.getRuntime().maxMemory());
        Recorder recorder = new Recorder(sinks, redaction, runs, commits, counts, memory);
        return new Session(sinks, counts, runs, commits, memory, recorder);
    }

    @Override
    public void close() {
        commits.close();
    }
}
