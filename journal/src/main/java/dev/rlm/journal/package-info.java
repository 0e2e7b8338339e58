/**
 * Reads the journal: a durable record of runs in files of one JSON object a line. A {@link dev.rlm.journal.Journal} has its
 * runs, in short and whole; {@code WriterLines} tells whole lines from damaged ones for all passes: {@code JournalScan} (runs
 * in short) and {@code RunPass} (runs whole, each as {@code RunEvents}); {@code RunTail} follows one.
 */
@NullMarked
package dev.rlm.journal;

import org.jspecify.annotations.NullMarked;
