/** Rollouts as trainers see them over HTTP: logs, statuses and traces, made from the events of their runs. */
@NullMarked
package dev.rlm.server.rollout;

import org.jspecify.annotations.NullMarked;
