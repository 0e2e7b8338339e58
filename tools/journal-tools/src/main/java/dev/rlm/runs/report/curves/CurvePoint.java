package dev.rlm.runs.report.curves;

import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.schema.statistics.Sum;

/** The values of a curve at one place. */
public final class CurvePoint {
    private final Sum sum = new Sum();
    private final Moments moments = new Moments();
    private long notFinite;

    public void add(double value) {
        if (Double.isFinite(value)) {
            sum.add(value);
            moments.add(0, value);
        } else {
            notFinite++;
        }
    }

    /** Returns the mean of the finite values; NaN where there is none. */
    public double mean() {
        return sum.value() / count();
    }

    double sum() {
        return sum.value();
    }

    /** Returns how many values are finite. */
    public long count() {
        return moments.count();
    }

    /** Returns the standard deviation of the finite values, as that of a sample; NaN of fewer than two. */
    public double deviation() {
        return moments.deviationY();
    }

    /** Returns the sum of the squared distances of the finite values to their mean. */
    double squares() {
        return moments.squaresY();
    }

    public long notFinite() {
        return notFinite;
    }

    NamedFigures fields() {
        return new NamedFigures()
                .put("mean", mean())
                .put("sum", sum())
                .put("count", count())
                .put("not_finite", notFinite)
                .put("standard_deviation", deviation());
    }
}
