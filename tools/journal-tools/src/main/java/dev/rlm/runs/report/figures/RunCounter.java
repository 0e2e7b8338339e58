package dev.rlm.runs.report.figures;

/** Takes each of the runs that were chosen. */
public interface RunCounter {
    void add(RunFacts run);
}
