/**
 * Events of a run, each an immutable record. Text that may hold secrets is a
 * {@link dev.rlm.sinks.event.Content}, never a string.
 */
@NullMarked
package dev.rlm.sinks.event;

import org.jspecify.annotations.NullMarked;
