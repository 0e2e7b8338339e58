/** What recording a step costs the thread that records it, beside what OpenTelemetry called by hand costs. */
@NullMarked
package dev.rlm.benchmarks.caller;

import org.jspecify.annotations.NullMarked;
