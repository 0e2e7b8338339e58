package dev.rlm.journal.index;

import java.util.List;

/**
 * Index of a segment, as far as it was read.
 *
 * @param end of the last line in the segment's text
 * @param lines number of lines so far, damaged ones included
 */
public record SegmentIndex(List<IndexChunk> chunks, long end, long lines) {
    /** That of a segment of which nothing is known. */
    public static final SegmentIndex NONE = new SegmentIndex(List.of(), 0, 0);
}
