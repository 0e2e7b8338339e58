package dev.rlm.runs.scan;

import dev.rlm.sinks.event.RunEvent;

/**
 * Place in a run that shows a finding.
 *
 * @param step {@link RunEvent#NO_STEP} where it lies in none
 * @param seq number of the event in its run
 * @param text excerpt of what stands there
 */
record Citation(int step, long seq, String text) {
    private static final int BEFORE = 80; // characters in front of what is cited
    private static final int LENGTH = 240; // characters of an excerpt
    private static final String CUT = "…";

    /** Cites the beginning of a text. */
    static Citation of(RunEvent event, String text) {
        return of(event, text, 0);
    }

    /** Cites a text around a place in it. */
    static Citation of(RunEvent event, String text, int at) {
        int start = Math.max(0, at - BEFORE);
        int end = Math.min(text.length(), start + LENGTH);
        if (start > 0 && Character.isLowSurrogate(text.charAt(start))) {
            start++;
        }
        if (end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        return new Citation(
                event.step(),
                event.seq(),
                (start > 0 ? CUT : "") + text.substring(start, end) + (end < text.length() ? CUT : ""));
    }

    /** Returns the place in words. */
    String place() {
        return (step == RunEvent.NO_STEP ? "run" : "step " + step) + " #" + seq;
    }
}
