/** What {@code rlm gateway} costs the calls that go through it, and whether it loses any when it is killed. */
@NullMarked
package dev.rlm.benchmarks.gateway;

import org.jspecify.annotations.NullMarked;
