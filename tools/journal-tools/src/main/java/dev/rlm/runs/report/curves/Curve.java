package dev.rlm.runs.report.curves;

import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * The axis of curves that are drawn on one line each: steps that are cut into spans of the same length. A span takes two
 * characters, which show the lowest and the highest of its values in the order in which they came: however many points
 * there are, no peak is lost. A span without a value is left blank.
 *
 * @param from the first step
 * @param to the last step
 * @param spans how many of them
 */
record Curve(double from, double to, int spans) {
    private static final int MOST_SPANS = 20;

    /** One with a span for each step, as far as there is room. */
    static Curve over(double from, double to, int steps) {
        return new Curve(from, to, from < to ? Math.min(MOST_SPANS, steps) : 1);
    }

    /** The curve, drawn between its own lowest and highest value with these marks, the lowest first. */
    String of(NavigableMap<Double, Double> values, String marks) {
        double low = values.values().stream().min(Double::compare).orElse(0.0);
        double high = values.values().stream().max(Double::compare).orElse(0.0);
        StringBuilder drawn = new StringBuilder();
        for (@Nullable Extremes span : cut(values)) {
            drawn.append(
                    span == null
                            ? "  "
                            : mark(span.earlier(), low, high, marks) + mark(span.later(), low, high, marks));
        }
        return drawn.toString();
    }

    private @Nullable Extremes[] cut(NavigableMap<Double, Double> values) {
        @Nullable Extremes[] cut = new @Nullable Extremes[spans];
        for (Map.Entry<Double, Double> point : values.entrySet()) {
            double way =
                    from < to ? (point.getKey() / 2 - from / 2) / (to / 2 - from / 2) : 0; // halves cannot overflow
            int span = (int) Math.min(spans - 1, way * spans);
            Extremes before = cut[span];
            cut[span] =
                    before == null ? new Extremes(point.getValue(), point.getValue()) : before.with(point.getValue());
        }
        return cut;
    }

    private static String mark(double value, double low, double high, String marks) {
        int last = marks.length() - 1;
        double way = low < high ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5;
        int mark = (int) Math.round(way * last);
        return marks.substring(mark, mark + 1);
    }

    /** The lowest and the highest value of a span, the earlier one first. */
    private record Extremes(double earlier, double later) {
        Extremes with(double next) {
            double low = Math.min(earlier, later);
            double high = Math.max(earlier, later);
            if (next < low) {
                return new Extremes(high, next);
            }
            return next > high ? new Extremes(low, next) : this;
        }
    }
}
