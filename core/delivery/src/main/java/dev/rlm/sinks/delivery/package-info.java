/**
 * Delivery of events to a back end, for authors of sinks: batches by count, size and age, some requests in flight, retries,
 * splitting, bounded flushes and closes, and counts. {@link dev.rlm.sinks.delivery.BatchingSink} is all that most sinks need;
 * {@link dev.rlm.sinks.delivery.Batcher} serves those whose items are not their events.
 */
@NullMarked
package dev.rlm.sinks.delivery;

import org.jspecify.annotations.NullMarked;
