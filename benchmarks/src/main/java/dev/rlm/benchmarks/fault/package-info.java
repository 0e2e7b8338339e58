/** What a sink that misbehaves costs the runner. */
@NullMarked
package dev.rlm.benchmarks.fault;

import org.jspecify.annotations.NullMarked;
