/**
 * The instruments, the measurements of runs, rewards and training that are made with them, and histograms for negative rewards.
 * No promise of compatibility is made of these types.
 */
@NullMarked
package dev.rlm.sinks.otel.metrics;

import org.jspecify.annotations.NullMarked;
