/**
 * The export of spans, metrics, logs and scores: batches, back ends that refuse, the choice of runs that are kept, and health.
 * No promise of compatibility is made of these types.
 */
@NullMarked
package dev.rlm.sinks.otel.export;

import org.jspecify.annotations.NullMarked;
