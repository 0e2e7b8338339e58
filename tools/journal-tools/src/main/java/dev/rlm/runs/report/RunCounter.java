package dev.rlm.runs.report;

/** Takes each of the runs that were chosen. */
interface RunCounter {
    void add(RunFacts run);
}
