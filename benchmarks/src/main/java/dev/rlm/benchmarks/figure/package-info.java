/**
 * Figures with a goal each: ways to do the same thing, measured in turn in JVMs of their own and held against each
 * other. The programs that are measured lie in the packages beside this one.
 */
@NullMarked
package dev.rlm.benchmarks.figure;

import org.jspecify.annotations.NullMarked;
