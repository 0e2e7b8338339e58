/**
 * MLflow's tracking server: its requests, and what its answers mean. Knows nothing of events. Public for the sink's own use
 * only: it may change with any version.
 */
@NullMarked
package dev.rlm.sinks.mlflow.rest;

import org.jspecify.annotations.NullMarked;
