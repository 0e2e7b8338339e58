package dev.rlm.sinks.otel;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ended spans of open runs that may yet be left out. Together with those that were held, are kept and have not been sent they
 * are bounded. Safe for use by several threads.
 */
final class HeldSpans {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.otel");
    private static final long MOST_BYTES = 64L << 20;
    private static final int PART_OF_HEAP = 16; // a span takes about twice its bytes there

    private final long maxBytes;

    // Guarded by this
    private final Map<String, List<EndedSpan>> open = new HashMap<>();
    private long heldSpans;
    private long heldBytes;
    private long keptForRoom; // runs
    private boolean used;

    private HeldSpans(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Within the bound for all: 64 MiB, or a sixteenth of the heap where that is less. */
    static HeldSpans bounded() {
        return new HeldSpans(Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / PART_OF_HEAP));
    }

    /** Begins to hold the spans of that run. */
    synchronized void open(String run) {
        open.put(run, new ArrayList<>());
        used = true;
    }

    /** Whether the spans of that run are held: it is neither known to be kept nor has it ended. */
    synchronized boolean isOpen(String run) {
        return open.containsKey(run);
    }

    /** Whether there is no room for another span, beside so many bytes of spans that are kept. */
    synchronized boolean isFull(long kept) {
        return heldBytes + kept >= maxBytes;
    }

    /** Holds the span, if its run {@linkplain #isOpen is open}; whether it is. */
    synchronized boolean add(String run, EndedSpan span) {
        List<EndedSpan> spans = open.get(run);
        if (spans != null) {
            spans.add(span);
            heldSpans++;
            heldBytes += span.bytes();
        }
        return spans != null;
    }

    /** The spans of a run; they are held no longer. */
    synchronized List<EndedSpan> remove(String run) {
        List<EndedSpan> spans = open.remove(run);
        if (spans == null) {
            return List.of();
        }
        heldSpans -= spans.size();
        heldBytes -= bytes(spans);
        return spans;
    }

    /** Those of all runs. */
    synchronized List<EndedSpan> removeAll() {
        List<EndedSpan> all = new ArrayList<>();
        List.copyOf(open.keySet()).forEach(run -> all.addAll(remove(run)));
        return all;
    }

    /** Those of the run that holds the most, which makes the most room by the fewest runs. */
    synchronized List<EndedSpan> removeLargest() {
        if (keptForRoom++ == 0) {
            LOG.info(
                    "the spans of open runs fill {} bytes: those runs that have most are kept, whatever comes",
                    maxBytes);
        }
        return open.entrySet().stream()
                .max(Comparator.comparingLong(each -> bytes(each.getValue())))
                .map(largest -> remove(largest.getKey()))
                .orElse(List.of());
    }

    private static long bytes(List<EndedSpan> spans) {
        return spans.stream().mapToLong(EndedSpan::bytes).sum();
    }

    /**
     * For the status; nothing where nothing was ever to be held.
     *
     * @param keptSpans how many are kept and have not been sent
     * @param keptBytes what these take
     */
    synchronized Map<String, Object> facts(long keptSpans, long keptBytes) {
        Map<String, Object> facts = new LinkedHashMap<>();
        if (used) {
            facts.put("held_spans", heldSpans + keptSpans);
            facts.put("held_bytes", heldBytes + keptBytes);
            facts.put("held_bytes_limit", maxBytes);
            facts.put("runs_kept_for_room", keptForRoom);
        }
        return facts;
    }
}
