@NullMarked
package dev.rlm.benchmarks.fault;

import org.jspecify.annotations.NullMarked;
