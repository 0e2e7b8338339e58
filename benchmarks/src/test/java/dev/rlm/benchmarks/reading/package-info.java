@NullMarked
package dev.rlm.benchmarks.reading;

import org.jspecify.annotations.NullMarked;
