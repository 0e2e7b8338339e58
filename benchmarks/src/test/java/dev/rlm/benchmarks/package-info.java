@NullMarked
package dev.rlm.benchmarks;

import org.jspecify.annotations.NullMarked;
