@NullMarked
package dev.rlm.benchmarks.soak;

import org.jspecify.annotations.NullMarked;
