/**
 * Runs as MLflow shows them: a job is one of MLflow's runs, its episodes are traces, rewards are feedback on them, figures
 * and training's numbers are metrics. Where to look:
 *
 * <ul>
 *   <li>The sink: {@link dev.rlm.sinks.mlflow.MlflowSink}; its parts: {@code SinkPart}; how it fares: {@code SinkHealth}; settings:
 *       {@code MlflowSettings}.
 *   <li>Traces: {@code TraceExporter}, {@code MlflowSpan}; rewards: {@code Feedback}; files: {@code Uploads}; links to runs, and
 *       what came of events: {@code Entries}. All send by {@link dev.rlm.sinks.delivery}.
 *   <li>Which event becomes which points of which run: {@code MetricExporter}, with {@code Jobs}, {@code RunRequests}, {@code RunEnd} and
 *       {@code MetricSteps} for runs, {@code EpisodeFigures} and {@code MetricPoints} for points.
 *   <li>Sending them: {@code MetricBatch}s, by the {@code FigureSender}; what came of them: {@code DeliveryOutcome}, {@code DeliveryListener}.
 *   <li>The server: {@link dev.rlm.sinks.mlflow.rest}.
 * </ul>
 */
@NullMarked
package dev.rlm.sinks.mlflow;

import org.jspecify.annotations.NullMarked;
