/**
 * Runs as MLflow shows them: a job is one of MLflow's runs, its episodes are traces, rewards are feedback on them, figures
 * and training's numbers are metrics. Where to look:
 *
 * <ul>
 *   <li>The sink and its parts: {@link dev.rlm.sinks.mlflow.MlflowSink}; how it fares: {@code Standing}; settings:
 *       {@code MlflowSettings}.
 *   <li>Traces: {@code TraceExporter}, {@code MlflowSpan}; rewards: {@code Feedback}; links to runs: {@code Links};
 *       what came of events: {@code Entries}. All send by {@link dev.rlm.sinks.delivery}.
 *   <li>Which event becomes which points of which run: {@code Figures}, with {@code Jobs}, {@code Forms}, {@code RunEnd} and
 *       {@code Numbering} for runs, {@code EpisodeFigures}, {@code EpisodeMetrics} and {@code Scalars} for points.
 *   <li>Sending them: {@code Parcel}s, by the {@code FigureSender}; what came of them: {@code Fate}, {@code Verdicts}, {@code FigureTally}.
 *   <li>The server: {@link dev.rlm.sinks.mlflow.rest}.
 * </ul>
 */
@NullMarked
package dev.rlm.sinks.mlflow;

import org.jspecify.annotations.NullMarked;
