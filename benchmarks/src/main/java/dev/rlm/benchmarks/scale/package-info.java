/** Cost of many runs that are open at once. */
@NullMarked
package dev.rlm.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
