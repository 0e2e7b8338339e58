/** Telemetry of many runners, through one collector. */
@NullMarked
package dev.rlm.benchmarks.fleet;

import org.jspecify.annotations.NullMarked;
