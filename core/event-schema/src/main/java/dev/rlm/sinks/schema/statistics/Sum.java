package dev.rlm.sinks.schema.statistics;

import java.io.Serializable;

/** A sum that keeps what its double has no digits for, as Neumaier does: ten times 0.1 is 1. */
public final class Sum implements Serializable {
    private static final long serialVersionUID = 1;

    private double sum;
    private double lost; // by rounding

    public void add(double value) {
        double next = sum + value;
        lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
        sum = next;
    }

    /** Adds the values of another sum. */
    public void merge(Sum other) {
        add(other.sum);
        lost += other.lost;
    }

    public double value() {
        return Double.isFinite(sum) ? sum + lost : sum;
    }
}
