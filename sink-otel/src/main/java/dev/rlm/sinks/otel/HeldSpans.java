package dev.rlm.sinks.otel;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ended spans of open runs that may yet be left out, and of those that were held and are kept what has not been sent.
 * Together they are bounded. Not safe for use by several threads: {@link SpanExport} guards it.
 */
final class HeldSpans {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.otel");
    private static final long MOST_BYTES = 64L << 20;
    private static final int PART_OF_HEAP = 16; // a span takes about twice its bytes there

    private final long maxBytes;
    private final Map<String, OutgoingQueue<EndedSpan>> open = new HashMap<>();
    private final OutgoingQueue<EndedSpan> released;
    private long heldSpans;
    private long heldBytes; // of what is held alone
    private long keptForRoom; // runs
    private boolean used;

    private HeldSpans(OutgoingQueue<EndedSpan> released, long maxBytes) {
        this.released = released;
        this.maxBytes = maxBytes;
    }

    /**
     * Within the bound for all: 64 MiB, or a sixteenth of the heap where that is less.
     *
     * @param released takes what was held and is to be sent
     */
    static HeldSpans bounded(OutgoingQueue<EndedSpan> released) {
        return new HeldSpans(released, Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / PART_OF_HEAP));
    }

    /** Begins to hold the spans of that run. */
    void open(String run) {
        open.put(run, new OutgoingQueue<>());
        used = true;
    }

    /** Whether the spans of that run are held: it is neither known to be kept nor has it ended. */
    boolean isOpen(String run) {
        return open.containsKey(run);
    }

    /** Whether there is no room for another span. */
    boolean isFull() {
        return heldBytes + released.bytes() >= maxBytes;
    }

    /** Holds a span of a run that {@linkplain #isOpen is open}. */
    void add(String run, EndedSpan span) {
        OutgoingQueue<EndedSpan> spans = open.get(run);
        if (spans != null) {
            spans.add(span);
            heldSpans++;
            heldBytes += span.bytes();
        }
    }

    /** The spans of a run that is not kept; they are held no longer. */
    OutgoingQueue<EndedSpan> remove(String run) {
        OutgoingQueue<EndedSpan> spans = open.remove(run);
        if (spans == null) {
            return new OutgoingQueue<>();
        }
        heldSpans -= spans.size();
        heldBytes -= spans.bytes();
        return spans;
    }

    /** Keeps a run: its spans are to be sent. */
    void release(String run) {
        released.takeAll(remove(run));
    }

    /** Keeps all that are open. */
    void releaseAll() {
        new ArrayList<>(open.keySet()).forEach(this::release);
    }

    /** Keeps the run that holds the most, which makes the most room by the fewest runs. */
    void releaseLargest() {
        if (keptForRoom++ == 0) {
            LOG.info(
                    "the spans of open runs fill {} bytes: those runs that have most are kept, whatever comes",
                    maxBytes);
        }
        open.entrySet().stream()
                .max(Comparator.comparingLong(each -> each.getValue().bytes()))
                .map(Map.Entry::getKey)
                .ifPresent(this::release);
    }

    /** For the status; nothing where nothing was ever to be held. */
    Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        if (used) {
            facts.put("held_spans", heldSpans + released.size());
            facts.put("held_bytes", heldBytes + released.bytes());
            facts.put("held_bytes_limit", maxBytes);
            facts.put("runs_kept_for_room", keptForRoom);
        }
        return facts;
    }
}
