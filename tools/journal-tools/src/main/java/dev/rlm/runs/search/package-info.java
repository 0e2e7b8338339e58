/**
 * Search in the texts of events: a {@code TextPattern} tells in which of the {@code EventTexts} something is found, and the text
 * that the lines of such events must hold.
 */
@NullMarked
package dev.rlm.runs.search;

import org.jspecify.annotations.NullMarked;
