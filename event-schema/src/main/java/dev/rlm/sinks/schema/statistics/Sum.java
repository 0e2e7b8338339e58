package dev.rlm.sinks.schema.statistics;

/** A sum that keeps what its double has no digits for, as Neumaier does: ten times 0.1 is 1. */
public final class Sum {
    private double sum;
    private double lost; // by rounding

    public void add(double value) {
        double next = sum + value;
        lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
        sum = next;
    }

    public double value() {
        return Double.isFinite(sum) ? sum + lost : sum;
    }
}
