package dev.rlm.journal.report;

import java.util.NavigableMap;
import java.util.TreeMap;

/** A number of training, by the steps at which it was reported. Of several values at one step the last counts. */
final class Series {
    private final NavigableMap<Double, Double> all = new TreeMap<>();
    private final NavigableMap<Double, Double> finite = new TreeMap<>();
    private long replaced;

    /** The next that was reported. */
    void add(double step, double value) {
        replaced += all.put(step, value) == null ? 0 : 1;
        if (Double.isFinite(value)) {
            finite.put(step, value);
        } else {
            finite.remove(step);
        }
    }

    /** All values, NaN and infinite ones among them. */
    NavigableMap<Double, Double> all() {
        return all;
    }

    /** Those that can be drawn. */
    NavigableMap<Double, Double> finite() {
        return finite;
    }

    /** How many values are in nothing, because a later one was of the same step. */
    long replaced() {
        return replaced;
    }

    long notFinite() {
        return (long) all.size() - finite.size();
    }

    /** The first finite value; NaN where there is none, as of the others. */
    double first() {
        return finite.isEmpty() ? Double.NaN : finite.firstEntry().getValue();
    }

    double last() {
        return finite.isEmpty() ? Double.NaN : finite.lastEntry().getValue();
    }

    double min() {
        return finite.values().stream().min(Double::compare).orElse(Double.NaN);
    }

    double max() {
        return finite.values().stream().max(Double::compare).orElse(Double.NaN);
    }
}
