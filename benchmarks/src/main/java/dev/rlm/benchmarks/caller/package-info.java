/** Cost of a step to the thread that records it, beside the cost with OpenTelemetry called by hand. */
@NullMarked
package dev.rlm.benchmarks.caller;

import org.jspecify.annotations.NullMarked;
