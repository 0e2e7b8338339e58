package dev.rlm.collector;

import dev.rlm.cli.terminal.Counted;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import java.util.List;

/** Counts of what a collector has taken and made. Safe for use by several threads. */
final class CollectCounts {
    private long spans;
    private long known;
    private long runs;
    private long events;
    private long left;
    private long leftLogs;
    private long leftPoints;
    private long numbers;
    private long own;
    private long damaged;
    private long failed;

    /** Counts spans that were taken, and among them those that had come before. */
    synchronized void received(int more, int again) {
        spans += more;
        known += again;
    }

    /** Returns how many spans have come, those that came again included. */
    synchronized long spans() {
        return spans;
    }

    /** Returns whether anything else has come that was left out. */
    synchronized boolean hasOthers() {
        return leftLogs + leftPoints + own > 0;
    }

    synchronized void ended(List<RunEvent> run) {
        runs += run.stream().filter(RunStarted.class::isInstance).count();
        events += run.size();
    }

    /** Counts events with numbers of training. */
    synchronized void reported(int more) {
        numbers += more;
    }

    /** Counts spans of this product's own runs; returns whether they are the first. */
    synchronized boolean own(int more) {
        own += more;
        return own == more;
    }

    synchronized void damaged() {
        damaged++;
    }

    /** Counts a trace of which no run can be made, unless it was counted before. */
    synchronized void failed(boolean first) {
        failed += first ? 1 : 0;
    }

    /** Counts a trace that is none of an agent, unless it was counted before. */
    synchronized void leftOut(boolean first) {
        left += first ? 1 : 0;
    }

    /** Counts log records and data points of metrics that are not kept, since nothing in a run is made of them. */
    synchronized void leftOut(int logs, long points) {
        leftLogs += logs;
        leftPoints += points;
    }

    /** Returns whether all that came is recorded, or was left out by choice. */
    synchronized boolean isComplete() {
        return damaged == 0 && failed == 0;
    }

    /** Returns them in words. */
    synchronized String text() {
        return "collected " + Counted.of(spans, "span") + " (" + known + " again), made " + Counted.of(runs, "run")
                + " of "
                + Counted.of(events, "event")
                + (numbers > 0 ? "; numbers of training " + Counted.of(numbers, "time") : "")
                + (left > 0 ? "; left out " + Counted.of(left, "trace") + " without anything of an agent" : "")
                + (leftLogs > 0 ? "; left out " + Counted.of(leftLogs, "log record") + " of other matters" : "")
                + (leftPoints > 0 ? "; left out " + Counted.of(leftPoints, "data point") + " of other metrics" : "")
                + (own > 0 ? "; left out " + Counted.of(own, "span") + " of runs of rlm" : "")
                + (failed > 0 ? "; no run could be made of " + Counted.of(failed, "trace") : "")
                + (damaged > 0 ? "; damaged lines in the spool: " + damaged : "");
    }
}
