package dev.rlm.collector.runs;

import dev.rlm.sinks.event.RunEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;

/**
 * Events of a run on their way to their numbers. Those that a span's id tells are kept; all others get free ones, so that
 * each lies behind all that happened before it. Of one thread.
 */
final class Timeline {
    private final TreeMap<Long, Entry> known = new TreeMap<>();
    private final List<Entry> others = new ArrayList<>();

    /**
     * Adds an event.
     *
     * @param seq its number; 0 where it is not known
     * @param nanos when it got its number, or would have, from the run's start
     * @param step that it belongs to
     * @param rank in which order those of the same moment come that have no number
     * @param event makes it, once all before it have been made
     */
    void add(long seq, long nanos, int step, int rank, LongFunction<RunEvent> event) {
        Entry entry = new Entry(nanos, step, rank, event);
        if (seq == 0 || known.putIfAbsent(seq, entry) != null) {
            others.add(entry);
        }
    }

    /** Adds the last event, behind which only those that came after that moment lie. */
    void addEnd(long nanos, LongFunction<RunEvent> event) {
        others.add(new Entry(nanos, ANY_STEP, Integer.MAX_VALUE, event));
    }

    private static final int ANY_STEP = -1;

    /** Returns the events by number. */
    List<RunEvent> events() {
        TreeMap<Long, Entry> all = new TreeMap<>(known);
        others.sort(Comparator.comparingLong(Entry::nanos).thenComparingInt(Entry::rank));
        long last = 0;
        for (Entry entry : others) {
            long seq = Math.max(last, lastBefore(entry)) + 1;
            while (all.containsKey(seq)) {
                seq++;
            }
            all.put(seq, entry);
            last = seq;
        }
        List<RunEvent> events = new ArrayList<>();
        all.forEach((seq, entry) -> events.add(entry.event().apply(seq)));
        return events;
    }

    private long lastBefore(Entry entry) {
        for (Map.Entry<Long, Entry> each : known.descendingMap().entrySet()) {
            Entry other = each.getValue();
            boolean sameStep = entry.step() == ANY_STEP || entry.step() == other.step();
            if (other.nanos() < entry.nanos() || (other.nanos() == entry.nanos() && sameStep)) {
                return each.getKey();
            }
        }
        return 0;
    }

    private record Entry(long nanos, int step, int rank, LongFunction<RunEvent> event) {}
}
