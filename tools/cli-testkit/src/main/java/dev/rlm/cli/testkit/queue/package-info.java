/** A trainer's queue of rollouts, for tests of the worker. */
@NullMarked
package dev.rlm.cli.testkit.queue;

import org.jspecify.annotations.NullMarked;
