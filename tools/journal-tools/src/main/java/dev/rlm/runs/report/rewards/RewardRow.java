package dev.rlm.runs.report.rewards;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.runs.report.curves.CurveKey;
import dev.rlm.runs.report.curves.CurveKey.Kind;
import dev.rlm.runs.report.curves.CurvePoint;
import dev.rlm.runs.report.curves.Moments;
import dev.rlm.runs.report.figures.RunCounter;
import dev.rlm.runs.report.figures.RunFacts;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.schema.RewardVersion;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Rewards of completed and failed runs by who gave them, and their parts, without second opinions. */
public final class RewardRow implements RunCounter {
    /** The events that it needs. */
    public static final Set<Class<? extends RunEvent>> KINDS = Set.of(RewardGiven.class);

    private final Map<CurveKey, Given> all = new TreeMap<>();
    private long runs;

    @Override
    public void add(RunFacts run) {
        if (!run.result().counts()) {
            return;
        }
        runs++;
        Map<CurveKey, Double> shares = new HashMap<>();
        for (RunEvent event : run.events()) {
            if (event instanceof RewardGiven reward && !RewardVersion.isOpinion(reward)) {
                add(CurveKey.of(reward), reward.value(), 1, shares);
                for (RewardComponent part : reward.components()) {
                    add(CurveKey.of(reward, part), part.value(), part.weight(), shares);
                }
            }
        }
        Double total = run.result().usableReward();
        if (total != null) {
            shares.forEach((key, share) -> given(key).shares.add(total, share));
        }
    }

    private void add(CurveKey key, double value, double weight, Map<CurveKey, Double> shares) {
        given(key).add(value);
        double share = value * weight;
        if (Double.isFinite(share)) {
            shares.merge(key, share, Double::sum);
        }
    }

    private Given given(CurveKey key) {
        return all.computeIfAbsent(key, unknown -> new Given());
    }

    long runs() {
        return runs;
    }

    /** Returns the figures of each source and part, under their names. */
    Stream<NamedFigures> fields() {
        return all.entrySet().stream()
                .map(each -> each.getKey().fields().putAll(each.getValue().fields()));
    }

    /** Returns the figures of nothing. */
    static NamedFigures none() {
        return new CurveKey(Kind.REWARD, "", "").fields().putAll(new Given().fields());
    }

    /** Rewards of one source, or one part of them. */
    private static final class Given {
        private final CurvePoint values = new CurvePoint();
        private final Moments shares = new Moments(); // by a run's total, what of it this is
        private double min = Double.NaN;
        private double max = Double.NaN;
        private long absent;

        void add(double value) {
            if (Double.isNaN(value)) {
                absent++;
                return;
            }
            values.add(value);
            if (Double.isFinite(value)) {
                min = Double.isNaN(min) ? value : Math.min(min, value);
                max = Double.isNaN(max) ? value : Math.max(max, value);
            }
        }

        NamedFigures fields() {
            return new NamedFigures()
                    .put("given", values.count())
                    .put("absent", absent, Numbers.unlessZero(absent))
                    .put("not_finite", values.notFinite(), Numbers.unlessZero(values.notFinite()))
                    .put("mean", values.mean())
                    .put("standard_deviation", values.deviation())
                    .put("min", min)
                    .put("max", max)
                    .put("runs", shares.count())
                    .put("correlation", shares.correlation(), Numbers.signed(shares.correlation()))
                    .put("variance_share", shares.slope(), Numbers.percent(shares.slope()));
        }
    }
}
