/**
 * Searches texts of the journal: a {@code JournalSearch} goes through pieces of segments from their ends on, in which {@code
 * SearchedLines} reads the lines that a {@code LiteralScan} finds; {@code CutLine} puts those together that lie in two pieces.
 */
@NullMarked
package dev.rlm.journal.search;

import org.jspecify.annotations.NullMarked;
