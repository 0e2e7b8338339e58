package dev.rlm.runner.openenv;

import dev.rlm.episodes.Sample;
import java.util.Map;

/**
 * Arguments that an environment is reset with.
 *
 * @param task as a line of the data set says it; empty where the environment does
 * @param arguments of the reset, as JSON
 */
record ResetSample(String id, int row, String task, Map<String, Object> arguments) implements Sample {}
