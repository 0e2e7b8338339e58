package dev.rlm.collector;

import dev.rlm.sinks.event.RunEvent;
import java.util.List;

/** Counts of what a collector has taken and made. Safe for use by several threads. */
final class CollectCounts {
    private long spans;
    private long known;
    private long runs;
    private long events;
    private long left;
    private long damaged;
    private long failed;

    synchronized void received(boolean before) {
        spans++;
        known += before ? 1 : 0;
    }

    synchronized void ended(List<RunEvent> run) {
        runs += run.isEmpty() ? 0 : 1;
        left += run.isEmpty() ? 1 : 0;
        events += run.size();
    }

    synchronized void damaged() {
        damaged++;
    }

    synchronized void failed() {
        failed++;
    }

    /** Returns whether all that came is recorded, or was left out by choice. */
    synchronized boolean isComplete() {
        return damaged == 0 && failed == 0;
    }

    /** Returns them in words. */
    synchronized String text() {
        return "collected " + counted(spans, "span") + " (" + known + " again), made " + counted(runs, "run") + " of "
                + counted(events, "event")
                + (left > 0 ? "; left out " + counted(left, "trace") + " without anything of an agent" : "")
                + (failed > 0 ? "; no run could be made of " + counted(failed, "trace") : "")
                + (damaged > 0 ? "; damaged lines in the spool: " + damaged : "");
    }

    private static String counted(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }
}
