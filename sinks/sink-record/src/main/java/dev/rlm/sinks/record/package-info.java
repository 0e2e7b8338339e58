/** Sink that sends events to another process, which records them. */
@NullMarked
package dev.rlm.sinks.record;

import org.jspecify.annotations.NullMarked;
