/**
 * Files of lines that last: private, locked by their writer, read while they grow, compressed once they do not. Nothing
 * here knows what stands on a line.
 */
@NullMarked
package dev.rlm.journal.format.segment;

import org.jspecify.annotations.NullMarked;
