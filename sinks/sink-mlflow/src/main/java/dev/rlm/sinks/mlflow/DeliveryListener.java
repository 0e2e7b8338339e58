package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunStarted;

/**
 * Hears what becomes of the events that the {@link MetricExporter} answers for: each {@link RunStarted}, for all figures of its run, and
 * each {@link dev.rlm.sinks.event.MetricsReported}. For each there is one outcome. Called on the exporter's own thread, on the
 * lane, or by who closes; it must return at once.
 */
interface DeliveryListener {
    /**
     * MLflow has the run that this one belongs to: its traces may be linked to it. Comes before the outcome, and never if the
     * run is lost.
     *
     * @param mlflowRun the id of MLflow's run
     */
    void found(RunStarted start, String mlflowRun);

    /**
     * All its figures are in MLflow; of a run that has no end by the close, all that there could be.
     */
    void delivered(Event event);

    /** It, or some of its figures, never will be. */
    void dropped(Event event, String reason);
}
