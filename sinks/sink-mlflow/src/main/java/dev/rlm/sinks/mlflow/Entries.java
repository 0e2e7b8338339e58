package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The account of what runs left beside their traces: a run's start stands for its figures and for the link of its trace to
 * MLflow's run, and has arrived when both have. Numbers of training stand for themselves.
 *
 * <p>Safe for use by several threads.
 */
final class Entries extends SinkPart<Entries.Link> implements DeliveryListener {
    private static final String PATH = "/api/2.0/mlflow/traces/link-to-run";
    private static final int MOST = 100; // MLflow's limit
    private static final int ROOM = 500; // batches

    private final TrackingServer server;
    private final DeliveryCounts counts;
    private final Map<String, Entry> open = new HashMap<>(); // by run id; guarded by this

    /** @param longestStall how long to wait in all for room while nothing arrives */
    Entries(TrackingServer server, Duration longestStall, DeliveryCounts counts) {
        super(
                "links",
                "links",
                "links",
                server,
                BatchLimits.of(MOST).linger(Duration.ofSeconds(1)).waiting(ROOM).stall(longestStall, false),
                OUTAGE);
        this.server = server;
        this.counts = counts;
    }

    /**
     * Notes the start of a run, before the figures hear of it. Returns whether it is the run's first start: further
     * ones count as the first does.
     *
     * @param traceId of its trace; {@code null} if no trace is sent
     */
    synchronized boolean started(RunStarted start, @Nullable String traceId) {
        Entry entry = open.computeIfAbsent(start.run().runId(), unknown -> new Entry(traceId));
        return ++entry.events == 1;
    }

    @Override
    public void found(RunStarted start, String mlflowRun) {
        String traceId;
        synchronized (this) {
            Entry entry = open.get(start.run().runId());
            if (entry == null || entry.traceId == null) {
                return;
            }
            entry.pending++;
            traceId = entry.traceId;
        }
        batcher().add(new Link(start, traceId, mlflowRun));
    }

    @Override
    public void delivered(Event event) {
        if (event instanceof RunStarted start) {
            resolved(start, null);
        } else {
            counts.delivered(1);
        }
    }

    @Override
    public void dropped(Event event, String reason) {
        if (event instanceof RunStarted start) {
            resolved(start, reason);
        } else {
            counts.dropped(reason, 1);
        }
    }

    /** One of the things that the start stands for has arrived, or will not. */
    private void resolved(RunStarted start, @Nullable String lost) {
        int events;
        String reason;
        synchronized (this) {
            Entry entry = open.get(start.run().runId());
            if (entry == null) {
                return;
            }
            entry.lost = entry.lost == null ? lost : entry.lost;
            if (--entry.pending > 0) {
                return;
            }
            open.remove(start.run().runId());
            events = entry.events;
            reason = entry.lost;
        }
        if (reason == null) {
            counts.delivered(events);
        } else {
            counts.dropped(reason, events);
        }
    }

    /** Joins traces to one of MLflow's runs, which takes a link before it knows the trace, and again as often as it is sent. */
    @Override
    @Nullable
    Failure request(List<Link> links) {
        List<String> traces = links.stream().map(link -> "tr-" + link.traceId()).toList();
        return server.post(
                        PATH, Map.of("trace_ids", traces, "run_id", links.get(0).mlflowRun()))
                .failure();
    }

    @Override
    public Object group(Link link) {
        return link.mlflowRun();
    }

    @Override
    void settled(Link link, @Nullable Failure failure) {
        resolved(link.start(), failure == null ? null : failure.reason());
    }

    /** A link to be made. */
    record Link(RunStarted start, String traceId, String mlflowRun) {}

    /** State of a run's start whose figures or link are still to arrive. */
    private static final class Entry {
        private final @Nullable String traceId;
        private int events; // a start may be said again
        private int pending = 1; // the figures, and then the link
        private @Nullable String lost; // why

        Entry(@Nullable String traceId) {
            this.traceId = traceId;
        }
    }
}
