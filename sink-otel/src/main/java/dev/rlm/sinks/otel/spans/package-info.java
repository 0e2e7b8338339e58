/**
 * Spans on their way from start to end: their ids and parents, the runs that are open, and the sink's own kind of span. No
 * promise of compatibility is made of these types.
 */
@NullMarked
package dev.rlm.sinks.otel.spans;

import org.jspecify.annotations.NullMarked;
