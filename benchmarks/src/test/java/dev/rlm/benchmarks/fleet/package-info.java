@NullMarked
package dev.rlm.benchmarks.fleet;

import org.jspecify.annotations.NullMarked;
