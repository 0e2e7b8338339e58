package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/** The runs whose events were made elsewhere and that have not ended, and the lanes that have admitted each. */
final class PublishedRuns {
    private final Map<String, RunLanes> open = new ConcurrentHashMap<>();

    /** Offers the event to the lanes that its run was admitted to; where its start never came, to the current ones. */
    void offer(RunEvent event, List<AtomicReference<EventQueue>> current) {
        if (event instanceof RunStarted started) {
            start(started, current);
        } else if (event instanceof RunEnded ended) {
            end(ended, current);
        } else {
            RunLanes run = open.get(event.run().runId());
            (run == null ? new RunLanes(current) : run).offer(event);
        }
    }

    private void start(RunStarted event, List<AtomicReference<EventQueue>> current) {
        RunLanes run = new RunLanes(current);
        RunLanes known = open.putIfAbsent(event.run().runId(), run);
        if (known == null) {
            run.start(event);
        } else {
            known.offer(event); // said again: room for its end has been reserved
        }
    }

    private void end(RunEnded event, List<AtomicReference<EventQueue>> current) {
        RunLanes run = open.remove(event.run().runId());
        if (run == null) {
            run = new RunLanes(current);
            run.reserve();
        }
        run.end(event);
    }
}
