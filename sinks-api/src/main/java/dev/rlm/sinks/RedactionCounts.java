package dev.rlm.sinks;

import java.util.Map;

/**
 * Counts of what a redaction has done so far. A text that two sinks read at the same moment counts twice.
 *
 * @param secrets how many secrets were replaced, by kind; what is found in the margins of a long text counts, too
 * @param failed how many texts were dropped because a finder threw
 * @param overdue how many were dropped because a finder took too long, or hangs
 */
public record RedactionCounts(Map<String, Long> secrets, long failed, long overdue) {
    /** Nothing was looked at. */
    static final RedactionCounts NONE = new RedactionCounts(Map.of(), 0, 0);

    public RedactionCounts {
        secrets = Map.copyOf(secrets);
    }
}
