package dev.rlm.collector.runs;

import org.jspecify.annotations.Nullable;

/**
 * Settings of runs that spans do not tell.
 *
 * @param runPath where the record of the runs lies; {@code null} where no sink keeps one
 * @param passReward from which reward on a run is solved that does not say it
 * @param keepAll whether a trace without any call of a model or tool is a run too
 */
public record RunSettings(@Nullable String runPath, double passReward, boolean keepAll) {}
