package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunStarted;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps the outcomes. */
final class Heard implements DeliveryListener {
    final Map<String, String> found = new ConcurrentHashMap<>(); // MLflow's run by run id
    final List<Event> delivered = new CopyOnWriteArrayList<>();
    final Map<Event, String> dropped = new ConcurrentHashMap<>();

    @Override
    public void found(RunStarted start, String mlflowRun) {
        found.put(start.run().runId(), mlflowRun);
    }

    @Override
    public void delivered(Event event) {
        delivered.add(event);
    }

    @Override
    public void dropped(Event event, String reason) {
        dropped.put(event, reason);
    }

    int outcomes() {
        return delivered.size() + dropped.size();
    }
}
