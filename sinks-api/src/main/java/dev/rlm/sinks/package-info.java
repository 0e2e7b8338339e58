/**
 * The sink SPI, the hub that feeds sinks, and the handles that record runs.
 *
 * <p>Who records starts at {@link dev.rlm.sinks.Sinks}; who writes a sink implements {@link dev.rlm.sinks.Sink} and
 * {@link dev.rlm.sinks.SinkProvider}.
 */
@NullMarked
package dev.rlm.sinks;

import org.jspecify.annotations.NullMarked;
