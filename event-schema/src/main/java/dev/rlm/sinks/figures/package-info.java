/**
 * The rules by which figures of runs are made, for everybody who makes some: a report, a summary, a sink. What a run itself
 * says is with {@link dev.rlm.sinks.event.RunEnded}.
 */
@NullMarked
package dev.rlm.sinks.figures;

import org.jspecify.annotations.NullMarked;
