package dev.rlm.journal.report;

/** Takes each of the runs that were chosen, in the order in which they ended. */
interface RunCounter {
    void add(RunFacts run);
}
