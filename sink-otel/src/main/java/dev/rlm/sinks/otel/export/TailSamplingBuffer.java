package dev.rlm.sinks.otel.export;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.delivery.Batcher;
import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.otel.mapping.Names;
import dev.rlm.sinks.otel.spans.OwnSpan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ended spans of open runs that may yet be left out, until the {@link TailSamplingPolicy} decides at the run's end. Those of a
 * run that is kept go out behind all other spans, and the lane does not wait for them. Together with those that have not been
 * sent yet they are bounded. Used on the lane, but for {@link #facts}.
 */
public final class TailSamplingBuffer {
    private static final Logger LOG = LoggerFactory.getLogger(Names.SCOPE);
    private static final long MOST_BYTES = 64L << 20;
    private static final int PART_OF_HEAP = 16; // a span takes about twice its bytes there

    private final TailSamplingPolicy policy;
    private final Batcher<OwnSpan> batcher;
    private final DeliveryCounts counts;
    private final long maxBytes = Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / PART_OF_HEAP);

    // Guarded by this
    private final Map<String, List<OwnSpan>> open = new HashMap<>(); // by run id
    private long spans;
    private long bytes;
    private long keptForRoom; // runs
    private boolean used;

    /**
     * @param batcher sends the spans of runs that are kept
     * @param counts counts the events of those that are not
     */
    TailSamplingBuffer(TailSamplingPolicy policy, Batcher<OwnSpan> batcher, DeliveryCounts counts) {
        this.policy = policy;
        this.batcher = batcher;
        this.counts = counts;
    }

    /** Holds the spans of the run from now on, unless it is known to be kept. */
    public synchronized void begin(RunInfo run, String traceId) {
        if (!policy.keepsFromStart(run, traceId)) {
            open.put(run.runId(), new ArrayList<>());
            used = true;
        }
    }

    /** Returns whether the spans of the run are held: it is neither known to be kept nor has it ended. */
    public synchronized boolean isHolding(RunInfo run) {
        return open.containsKey(run.runId());
    }

    /** Holds the span, if those of its run are held; whether they are. Where there is no room a run is kept, and part of it sent. */
    boolean hold(RunInfo run, OwnSpan span) {
        while (isHolding(run) && isFull(batcher.sizeBehind())) {
            if (batcher.sizeBehind() == 0) {
                batcher.addBehind(removeLargest());
            }
            batcher.awaitLessBehind();
        }
        return add(run, span);
    }

    private synchronized boolean isFull(long kept) {
        return bytes + kept >= maxBytes;
    }

    private synchronized boolean add(RunInfo run, OwnSpan span) {
        List<OwnSpan> held = open.get(run.runId());
        if (held != null) {
            held.add(span);
            spans++;
            bytes += span.bytes();
        }
        return held != null;
    }

    /** Sends what is held of a run that ends so, or leaves it out; whether it is kept. */
    public boolean settle(RunEnded end) {
        boolean kept = policy.keeps(end);
        if (kept) {
            release(end.run());
        } else {
            List<OwnSpan> left = remove(end.run().runId());
            counts.dropped(
                    Ledger.NOT_SAMPLED,
                    left.stream().mapToLong(OwnSpan::standsFor).sum());
        }
        return kept;
    }

    /** Sends what is held of the run. */
    public void release(RunInfo run) {
        batcher.addBehind(remove(run.runId()));
    }

    /** Sends all that is held. */
    public void releaseAll() {
        List<OwnSpan> all = new ArrayList<>();
        synchronized (this) {
            List.copyOf(open.keySet()).forEach(run -> all.addAll(remove(run)));
        }
        batcher.addBehind(all);
    }

    private synchronized List<OwnSpan> remove(String run) {
        List<OwnSpan> held = open.remove(run);
        if (held == null) {
            return List.of();
        }
        spans -= held.size();
        bytes -= bytes(held);
        return held;
    }

    /** Those of the run that holds the most, which makes the most room by the fewest runs. */
    private synchronized List<OwnSpan> removeLargest() {
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

    private static long bytes(List<OwnSpan> spans) {
        return spans.stream().mapToLong(OwnSpan::bytes).sum();
    }

    /**
     * Returns the counts of spans that are held, or kept and not sent yet; empty if no run was ever held. On any
     * thread.
     */
    Map<String, Object> facts() {
        int keptSpans = batcher.itemsBehind();
        long keptBytes = batcher.sizeBehind();
        synchronized (this) {
            Map<String, Object> facts = new LinkedHashMap<>();
            if (used) {
                facts.put("held_spans", spans + keptSpans);
                facts.put("held_bytes", bytes + keptBytes);
                facts.put("held_bytes_limit", maxBytes);
                facts.put("runs_kept_for_room", keptForRoom);
            }
            return facts;
        }
    }
}
