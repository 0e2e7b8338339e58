/**
 * The journal: a durable record of runs in files of one JSON object a line. {@link dev.rlm.sinks.jsonl.JsonlSink} writes
 * it, {@link dev.rlm.sinks.jsonl.Journal} reads it, {@link dev.rlm.sinks.jsonl.Replay} sends it through sinks again, and
 * {@link dev.rlm.sinks.jsonl.Recovery} brings to an end what processes left behind that were killed.
 *
 * <p>Where to look: files and locks are in the package {@code segment}, which knows nothing of events; a writer's folder is
 * {@code JournalWriter}, {@code JournalFolder}; lines are {@code EventWriter}, {@code EventReader}, {@code JsonLine},
 * {@code LineHead}; a pass over all lines is {@code JournalScan} (runs in short), {@code RunPass} (runs whole). A recovery takes each folder as
 * a {@code DeadWriter}, makes up the ends of its {@code UnendedRun}s, and has a {@code Replay} of it sent; replays and
 * recoveries send by a {@code Delivery}, which knows when a sink is to be given up.
 */
@NullMarked
package dev.rlm.sinks.jsonl;

import org.jspecify.annotations.NullMarked;
