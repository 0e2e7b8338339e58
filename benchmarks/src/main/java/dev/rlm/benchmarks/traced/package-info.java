/** Cost of observing an agent by wrappers. */
@NullMarked
package dev.rlm.benchmarks.traced;

import org.jspecify.annotations.NullMarked;
