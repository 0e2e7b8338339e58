/** Runs made of the spans of traces. */
@NullMarked
package dev.rlm.collector.runs;

import org.jspecify.annotations.NullMarked;
