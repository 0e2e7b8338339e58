/**
 * The journal: a durable record of runs in files of one JSON object a line. {@link dev.rlm.sinks.jsonl.JsonlSink} writes
 * it, {@link dev.rlm.sinks.jsonl.Journal} reads it.
 */
@NullMarked
package dev.rlm.sinks.jsonl;

import org.jspecify.annotations.NullMarked;
