/**
 * Runs as MLflow shows them: a job is one of MLflow's runs, its episodes are traces, rewards are feedback on them, figures
 * and training's numbers are metrics. Where to look:
 *
 * <ul>
 *   <li>Settings: {@code MlflowSettings}.
 *   <li>Metrics and the runs that they belong to: {@code Figures}.
 *   <li>The server: {@link dev.rlm.sinks.mlflow.rest}.
 * </ul>
 */
@NullMarked
package dev.rlm.sinks.mlflow;

import org.jspecify.annotations.NullMarked;
