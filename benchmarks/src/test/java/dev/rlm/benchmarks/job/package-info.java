@NullMarked
package dev.rlm.benchmarks.job;

import org.jspecify.annotations.NullMarked;
