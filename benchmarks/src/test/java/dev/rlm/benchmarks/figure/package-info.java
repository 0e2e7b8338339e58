@NullMarked
package dev.rlm.benchmarks.figure;

import org.jspecify.annotations.NullMarked;
