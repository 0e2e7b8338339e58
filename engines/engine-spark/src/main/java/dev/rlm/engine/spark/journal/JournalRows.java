package dev.rlm.engine.spark.journal;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.runs.exchange.tables.ExportedTable;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RunEvent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** The rows of a table that a part of a journal has. The events of some runs are in memory at the same time. */
final class JournalRows implements PartitionReader<InternalRow> {
    private static final int RUNS_AT_ONCE = 256;

    /** Columns of runs that summaries lack. */
    private static final Set<String> TEXTS =
            Set.of("task", "expected_answer", "params", "final_answer", "metrics", "error", "initial_state");

    private final Journal journal;
    private final ExportedTable table;
    private final List<String> columns;
    private final boolean needsEvents;
    private final Deque<InternalRow> ready = new ArrayDeque<>();
    private int next; // of the runs
    private InternalRow row = InternalRow.empty();

    JournalRows(Journal journal, ExportedTable table, List<String> columns) {
        this.journal = journal;
        this.table = table;
        this.columns = columns;
        this.needsEvents = table != ExportedTable.RUNS || columns.stream().anyMatch(TEXTS::contains);
    }

    @Override
    public boolean next() {
        List<RunSummary> runs = journal.runs();
        while (ready.isEmpty() && next < runs.size()) {
            List<RunSummary> some = runs.subList(next, Math.min(runs.size(), next + RUNS_AT_ONCE));
            next += some.size();
            if (needsEvents) {
                journal.read(some, this::add);
            } else {
                some.forEach(run -> add(run, List.of()));
            }
        }
        InternalRow first = ready.poll();
        row = first == null ? row : first;
        return first != null;
    }

    private void add(RunSummary run, List<RunEvent> events) {
        table.rows(run, events, columns)
                .forEach(cells -> ready.add(new GenericInternalRow(
                        cells.stream().map(JournalRows::cell).toArray())));
    }

    private static @Nullable Object cell(@Nullable Object value) {
        return value instanceof String text ? UTF8String.fromString(Content.wellFormed(text)) : value;
    }

    @Override
    public InternalRow get() {
        return row;
    }

    @Override
    public void close() {}
}
