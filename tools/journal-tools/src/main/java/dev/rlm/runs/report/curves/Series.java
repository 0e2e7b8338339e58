package dev.rlm.runs.report.curves;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.runs.report.sheets.NamedFigures;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A number of training, by the steps at which it was reported. Of several values at one step the last counts. */
public final class Series {
    private final NavigableMap<Double, Double> all = new TreeMap<>();
    private final NavigableMap<Double, Double> finite = new TreeMap<>();
    private long replaced;

    /** Adds the next value that was reported. */
    void add(double step, double value) {
        replaced += all.put(step, value) == null ? 0 : 1;
        if (Double.isFinite(value)) {
            finite.put(step, value);
        } else {
            finite.remove(step);
        }
    }

    /** Returns the last value of each step, NaN and infinite ones included. */
    NavigableMap<Double, Double> all() {
        return all;
    }

    /** Returns those of the values that can be drawn: the finite ones. */
    public NavigableMap<Double, Double> finite() {
        return finite;
    }

    /** Returns how many values are left out because a later one is of the same step. */
    long replaced() {
        return replaced;
    }

    /** Returns how many steps have a last value that is NaN or infinite and cannot be drawn. */
    long notFinite() {
        return (long) all.size() - finite.size();
    }

    NamedFigures fields() {
        NamedFigures fields = new NamedFigures()
                .put("points", all.size())
                .put("not_finite", notFinite(), Numbers.unlessZero(notFinite()))
                .put("replaced", replaced)
                .put("first_step", all.isEmpty() ? null : all.firstKey())
                .put("last_step", all.isEmpty() ? null : all.lastKey());
        put(fields, "first", finite.isEmpty() ? Double.NaN : finite.firstEntry().getValue());
        put(fields, "last", finite.isEmpty() ? Double.NaN : finite.lastEntry().getValue());
        put(fields, "min", finite.values().stream().min(Double::compare).orElse(Double.NaN));
        put(fields, "max", finite.values().stream().max(Double::compare).orElse(Double.NaN));
        return fields;
    }

    private static void put(NamedFigures fields, String name, double value) {
        fields.put(name, value, Numbers.rounded(value));
    }
}
