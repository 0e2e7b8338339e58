/** How many steps a second arrive at an OTLP receiver, beside what arrives of OpenTelemetry called by hand. */
@NullMarked
package dev.rlm.benchmarks.otlp;

import org.jspecify.annotations.NullMarked;
