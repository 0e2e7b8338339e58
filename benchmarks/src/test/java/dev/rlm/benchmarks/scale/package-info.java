@NullMarked
package dev.rlm.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
