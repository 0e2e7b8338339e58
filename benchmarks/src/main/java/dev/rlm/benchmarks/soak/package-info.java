/** A long run of everything at once, and its verdict. */
@NullMarked
package dev.rlm.benchmarks.soak;

import org.jspecify.annotations.NullMarked;
