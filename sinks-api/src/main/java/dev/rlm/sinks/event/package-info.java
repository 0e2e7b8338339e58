/**
 * What can happen in a run: one immutable record an event. Text that may hold secrets is a
 * {@link dev.rlm.sinks.event.Content}, never a string.
 */
@NullMarked
package dev.rlm.sinks.event;

import org.jspecify.annotations.NullMarked;
