/**
 * Index of a journal's closed segments: what summaries of runs need to know of each line.
 */
@NullMarked
package dev.rlm.journal.index;

import org.jspecify.annotations.NullMarked;
