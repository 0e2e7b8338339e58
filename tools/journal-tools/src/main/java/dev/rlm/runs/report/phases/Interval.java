package dev.rlm.runs.report.phases;

import dev.rlm.sinks.event.RunEvent;

/**
 * Something that took time in a run.
 *
 * @param seq its number, by which others say that they lie in it; what it lies in has a lower one
 * @param place the step that it lies in, for a step the one around it; {@link RunEvent#NO_STEP} for none
 * @param step which step it is; {@link RunEvent#NO_STEP} for none
 * @param parentSeq the number of what it lies in; 0 where it does not say
 * @param start in nanoseconds since the run's start
 * @param end in nanoseconds since the run's start; never before {@code start}
 */
record Interval(PhaseKey key, long seq, int place, int step, long parentSeq, long start, long end, boolean failed) {
    Interval {
        start = Math.max(0, start);
        end = Math.max(start, end);
    }

    /** The same of a run that was over by then. */
    Interval until(long over) {
        return new Interval(key, seq, place, step, parentSeq, Math.min(start, over), Math.min(end, over), failed);
    }

    boolean isSpan() {
        return key.kind() == PhaseKey.Kind.PHASE || key.kind() == PhaseKey.Kind.SPAN_IN_STEP;
    }

    long nanos() {
        return end - start;
    }
}
