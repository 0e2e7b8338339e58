package dev.rlm.engine.spark;

import dev.rlm.engine.AttemptHistory;
import java.io.Serializable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Episode as data, of which a task of Spark makes runs.
 *
 * @param place among the episodes of its job
 * @param history its attempts before the job
 * @param timeout how long each attempt may take; {@code null} for what the job says
 * @param traceparent of the span that all its attempts lie in
 */
record EpisodeTask(
        int place, AttemptHistory history, @Nullable Duration timeout, String traceparent) implements Serializable {}
