/** The hub: what records runs and hands their events to sinks. Found by {@link dev.rlm.sinks.Sinks}; nothing here is for users. */
@NullMarked
package dev.rlm.sinks.core;

import org.jspecify.annotations.NullMarked;
