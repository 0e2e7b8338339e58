/** The policy of rollouts that a rollout server of others does: this program is their trainer. */
@NullMarked
package dev.rlm.runner.remote;

import org.jspecify.annotations.NullMarked;
