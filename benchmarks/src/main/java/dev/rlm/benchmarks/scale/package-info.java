/** What it costs that many runs are open at once. */
@NullMarked
package dev.rlm.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
