/**
 * Files of spans as lines of OTLP's JSON, which several programs append to. No promise of compatibility is made of these types.
 */
@NullMarked
package dev.rlm.sinks.otel.files;

import org.jspecify.annotations.NullMarked;
