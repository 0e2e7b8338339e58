/**
 * Files of lines that last: private, locked by their writer, read while they grow, compressed once they do not. Nothing
 * here knows what stands on a line. For the journal's own use: no promise of compatibility is made of these types.
 */
@NullMarked
package dev.rlm.sinks.jsonl.segment;

import org.jspecify.annotations.NullMarked;
