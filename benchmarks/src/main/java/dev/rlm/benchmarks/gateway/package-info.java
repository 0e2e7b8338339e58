/** Measurements of {@code rlm gateway}: the cost to the calls that go through it, and losses when it is killed. */
@NullMarked
package dev.rlm.benchmarks.gateway;

import org.jspecify.annotations.NullMarked;
