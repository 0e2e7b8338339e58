package dev.rlm.runs.report.curves;

import dev.rlm.runs.NaturalOrder;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import java.util.Comparator;
import java.util.Locale;

/**
 * Name of a curve.
 *
 * @param source who gave the reward, or the category of reported numbers; empty for numbers of the runs themselves
 * @param unit of parts of rewards; empty where there is none
 */
public record CurveKey(Kind kind, String source, String name, String unit) implements Comparable<CurveKey> {
    private static final Comparator<CurveKey> ORDER = Comparator.comparing(CurveKey::kind)
            .thenComparing(CurveKey::source)
            .thenComparing(CurveKey::name, NaturalOrder.INSTANCE)
            .thenComparing(CurveKey::unit);

    public CurveKey(Kind kind, String source, String name) {
        this(kind, source, name, "");
    }

    /** Returns that of what a source gave. */
    public static CurveKey of(RewardGiven reward) {
        return new CurveKey(Kind.REWARD, reward.source(), "reward");
    }

    /** Returns that of a part of it. */
    public static CurveKey of(RewardGiven reward, RewardComponent part) {
        return new CurveKey(Kind.REWARD_PART, reward.source(), part.name(), part.unit() == null ? "" : part.unit());
    }

    /** Origin of the values. */
    public enum Kind {
        RUN("Runs"),
        REWARD("Rewards by source"),
        REWARD_PART("Parts of rewards"),
        RUN_METRIC("Run metrics"),
        REPORTED("Reported numbers");

        private final String title;

        Kind(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }

        /** Returns it as programs read it: {@code run_metric}. */
        String field() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns the names, as far as there are any. */
    public NamedFigures fields() {
        return new NamedFigures()
                .put("kind", kind.field())
                .name("source", source)
                .put("name", name)
                .name("unit", unit);
    }

    @Override
    public int compareTo(CurveKey other) {
        return ORDER.compare(this, other);
    }
}
