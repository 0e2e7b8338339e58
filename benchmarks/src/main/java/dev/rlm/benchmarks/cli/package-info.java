/** The command line of the benchmarks. */
@NullMarked
package dev.rlm.benchmarks.cli;

import org.jspecify.annotations.NullMarked;
