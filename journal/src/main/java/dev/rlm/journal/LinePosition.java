package dev.rlm.journal;

import dev.rlm.journal.format.segment.Segment;

/**
 * Position of a line, valid as long as its segment is there: what is in front of it stays as it is.
 *
 * @param line its number in the segment, from 0; damaged lines count
 */
record LinePosition(Segment segment, long line) {}
