/**
 * The journal's sink. {@link dev.rlm.sinks.jsonl.JsonlSink} gives lines to {@code GroupCommit}, which keeps them until {@code
 * JournalWriter} has them safe, with the {@code RunsFile} of those that end; {@code WrittenConversations} holds what open runs
 * have told. {@code DiskFault}, {@code ExponentialBackoff} and {@code DiskHealth} are for when the disk fails; {@code Housekeeping}
 * compresses, and deletes by {@code Retention}.
 */
@NullMarked
package dev.rlm.sinks.jsonl;

import org.jspecify.annotations.NullMarked;
