/**
 * The settings of sending: OpenTelemetry's properties and variables, and those of vendors, each of which is a preset with its
 * names and its scores. No promise of compatibility is made of these types.
 */
@NullMarked
package dev.rlm.sinks.otel.settings;

import org.jspecify.annotations.NullMarked;
