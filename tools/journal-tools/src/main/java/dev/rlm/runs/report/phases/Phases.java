package dev.rlm.runs.report.phases;

import dev.rlm.runs.report.figures.Dimension;
import dev.rlm.runs.report.figures.Rows;
import dev.rlm.runs.report.figures.RunCounter;
import dev.rlm.runs.report.figures.RunFacts;
import java.util.List;

/** Time of runs by kind of work: of all of them, and of those of each row. */
public final class Phases implements RunCounter {
    private final Rows<PhaseRow> rows;
    private long untimed;

    /**
     * Those of no run yet.
     *
     * @param dimensions by which runs are told apart; empty for not at all
     */
    public Phases(List<Dimension> dimensions) {
        this.rows = new Rows<>(dimensions, PhaseRow::new);
    }

    @Override
    public void add(RunFacts run) {
        if (run.summary().hasTimesWithin()) {
            rows.add(run);
        } else {
            untimed++;
        }
    }

    Rows<PhaseRow> rows() {
        return rows;
    }

    /** Returns how many runs are left out because they do not tell the times of what they did. */
    long untimed() {
        return untimed;
    }
}
