/**
 * Server of rollouts: {@code ServeCommand}; its requests: {@code RolloutServer}, {@code InitRequest}, {@code AllowedUrls}; what
 * becomes of them: {@code WaitingRollouts}, {@code RolloutAttempt}.
 */
@NullMarked
package dev.rlm.runner.serve;

import org.jspecify.annotations.NullMarked;
