package dev.rlm.journal.index;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Rows of a run's events: in their order, and as an index keeps them. */
public final class EventRows {
    private static final List<Class<? extends EventRow>> KINDS = List.of(
            EventRow.ModelCall.class, EventRow.ToolCall.class, EventRow.Reward.class, EventRow.Unreadable.class);

    private EventRows() {}

    /** Returns rows that come in any order by the numbers of their events, each event once. */
    public static Collection<EventRow> bySeq(List<EventRow> rows) {
        for (int i = 1; i < rows.size(); i++) {
            if (rows.get(i - 1).seq() >= rows.get(i).seq()) {
                Map<Long, EventRow> bySeq = new TreeMap<>();
                rows.forEach(row -> bySeq.putIfAbsent(row.seq(), row));
                return bySeq.values();
            }
        }
        return rows; // as nearly always
    }

    static void write(Collection<EventRow> rows, PackedRecords to) {
        to.number(rows.size());
        for (EventRow row : rows) {
            to.number(KINDS.indexOf(row.getClass()));
            to.record((Record) row);
        }
    }

    static List<EventRow> read(PackedRecords from) {
        long count = from.nextNumber();
        List<EventRow> rows = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            rows.add((EventRow)
                    from.nextRecord(KINDS.get((int) from.nextNumber()).asSubclass(Record.class)));
        }
        return rows;
    }
}
