@NullMarked
package dev.rlm.benchmarks.otlp;

import org.jspecify.annotations.NullMarked;
