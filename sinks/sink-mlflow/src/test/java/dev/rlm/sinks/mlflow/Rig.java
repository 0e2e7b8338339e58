package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import dev.rlm.sinks.schema.MetricLabels;
import java.time.Duration;
import java.util.List;

/** The figures of a process, or of what is sent again, as the sink drives them. */
final class Rig implements AutoCloseable {
    final Heard heard = new Heard();
    final MetricExporter figures;
    private final TrackingServer server;
    private Duration closing = Duration.ofSeconds(20);
    private boolean closed;

    private Rig(MlflowSettings settings, boolean resending) {
        server = new TrackingServer(settings.access());
        figures =
                new MetricExporter(settings, MetricLabels.NONE, server, settings.experiment(server), resending, heard);
    }

    static Rig live(MlflowSettings settings) {
        return new Rig(settings, false);
    }

    static Rig resending(MlflowSettings settings) {
        return new Rig(settings, true);
    }

    Rig send(Event... events) {
        return send(List.of(events));
    }

    Rig send(List<? extends Event> events) {
        events.forEach(figures::onEvent);
        return this;
    }

    boolean flush() {
        return flush(Duration.ofSeconds(30));
    }

    boolean flush(Duration timeout) {
        return figures.flush(System.nanoTime() + timeout.toNanos());
    }

    Rig closingWithin(Duration time) {
        closing = time;
        return this;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            long by = System.nanoTime() + closing.toNanos();
            figures.beginClose(by);
            server.endBy(by);
            figures.flush(by);
            figures.close(by);
        }
    }
}
