/**
 * The sink SPI, and the interfaces that record runs. What records and feeds sinks is found while a program runs.
 *
 * <p>Who records starts at {@link dev.rlm.sinks.Sinks}; who writes a sink implements {@link dev.rlm.sinks.Sink} and
 * {@link dev.rlm.sinks.SinkProvider}.
 */
@NullMarked
package dev.rlm.sinks;

import org.jspecify.annotations.NullMarked;
