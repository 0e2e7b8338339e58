/** Steps a second that arrive at an OTLP receiver, beside the rate of OpenTelemetry called by hand. */
@NullMarked
package dev.rlm.benchmarks.otlp;

import org.jspecify.annotations.NullMarked;
