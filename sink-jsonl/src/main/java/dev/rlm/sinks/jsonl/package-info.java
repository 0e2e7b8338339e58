/**
 * The journal: a durable record of runs in files of one JSON object a line. {@link dev.rlm.sinks.jsonl.JsonlSink} writes
 * it, {@link dev.rlm.sinks.jsonl.Journal} reads it, {@link dev.rlm.sinks.jsonl.Replay} sends it through sinks again, and
 * {@link dev.rlm.sinks.jsonl.Recovery} brings to an end what processes left behind that were killed.
 *
 * <p>Where to look; files and locks are in the package {@code segment}, which knows nothing of events.
 *
 * <ul>
 *   <li>Lines: {@code EventWriter} and {@code EventReader} are each other's inverse, {@code SummaryWriter} and
 *       {@code SummaryFile} are those of ended runs; {@code JsonLine} and {@code Fields} are the JSON beneath,
 *       {@code JsonSyntax}, {@code HeadScan} and {@code LineHead} read no more of a line than is needed, {@code LineFields} and
 *       {@code WholeJson} its fields one by one.
 *   <li>Conversations: {@code ToldMessages} finds what lines of a run have told, and {@code ShownMessages} puts it in again;
 *       {@code WrittenConversations} holds it while a run is open.
 *   <li>Writing: {@code JsonlSink} gives lines to {@code GroupCommit}, which keeps them until
 *       {@code JournalWriter} has them safe, with the {@code RunsFile} of those that end; {@code DiskFault}, {@code ExponentialBackoff} and {@code DiskHealth} are for
 *       when the disk fails; {@code Housekeeping} compresses, and deletes by {@code Retention}.
 *   <li>Reading: {@code WriterLines} tells whole lines from damaged ones, a {@code LineBlock} at a time and some {@code
 *       BlocksAhead}, for all passes: {@code JournalScan} (runs in short),
 *       {@code RunPass} (runs whole, each as {@code RunEvents}). {@code RunTail} follows one.
 *   <li>Searching: a {@code JournalSearch} goes through pieces of segments from their ends on, in which {@code SearchedLines} reads
 *       the lines that a {@code LiteralScan} finds; {@code CutLine} puts those together that lie in two pieces.
 *   <li>Sending again: a {@code Replay} sends by a {@code ReplayPass} and a {@code ResendQueue}, which knows when a sink is to be
 *       given up.
 *   <li>Recovering: a {@code Recovery} takes each folder as a {@code DeadWriter}, makes up the ends of its {@code UnendedRun}s,
 *       unless the {@code RunsElsewhere} have one, and has a replay of it sent; {@code RecoveryNotes} say what was done.
 * </ul>
 */
@NullMarked
package dev.rlm.sinks.jsonl;

import org.jspecify.annotations.NullMarked;
