/** Cost of a misbehaving sink to the runner. */
@NullMarked
package dev.rlm.benchmarks.fault;

import org.jspecify.annotations.NullMarked;
