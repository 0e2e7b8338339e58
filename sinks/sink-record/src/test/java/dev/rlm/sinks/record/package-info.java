/** Tests of the sink that sends events to a recorder. */
@NullMarked
package dev.rlm.sinks.record;

import org.jspecify.annotations.NullMarked;
