/** Trajectories in the Agent Trajectory Interchange Format (ATIF), read and written. */
@NullMarked
package dev.rlm.runs.exchange.atif;

import org.jspecify.annotations.NullMarked;
