/** Statuses of rollouts, posted as logs to the gateway at which the trainer that asked for them looks. */
@NullMarked
package dev.rlm.sinks.rollout;

import org.jspecify.annotations.NullMarked;
