/** Rewards of runs and their steps: functions by name and weight, with a time limit. */
@NullMarked
package dev.rlm.runner.reward;

import org.jspecify.annotations.NullMarked;
