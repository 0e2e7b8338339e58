package dev.rlm.runs.report.curves;

import dev.rlm.runs.NaturalOrder;
import dev.rlm.runs.report.figures.RunCounter;
import dev.rlm.runs.report.figures.RunFacts;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.schema.RewardVersion;
import dev.rlm.sinks.schema.RunResult;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Rewards and their parts, numbers of runs, and reported numbers, along an axis. */
public final class Curves implements RunCounter {
    /** The events that it needs. */
    public static final Set<Class<? extends RunEvent>> KINDS = Set.of(RewardGiven.class, RunEnded.class);

    private static final int MOST = 1_000;

    private final Axis axis;
    private final long seconds;
    private final SortedMap<CurveKey, NavigableMap<String, CurvePoint>> curves = new TreeMap<>();
    private final Checkpoints checkpoints = new Checkpoints();
    private long runs;
    private long runsWithoutPlace;
    private long reports;
    private long reportsWithoutPlace;
    private long leftOut;

    /**
     * Curves without points.
     *
     * @param seconds that a span of time has
     */
    public Curves(Axis axis, long seconds) {
        this.axis = axis;
        this.seconds = seconds;
    }

    @Override
    public void add(RunFacts run) {
        runs++;
        checkpoints.add(run);
        String place = axis.of(run.summary(), seconds);
        if (place == null) {
            runsWithoutPlace++;
        } else {
            add(run, place);
        }
    }

    private void add(RunFacts run, String place) {
        RunResult result = run.result();
        Double total = result.usableReward();
        if (total != null) {
            add(new CurveKey(CurveKey.Kind.RUN, "", "reward"), place, total);
        }
        if (result.isDecided()) {
            add(new CurveKey(CurveKey.Kind.RUN, "", "solved"), place, result.isSolved() ? 1 : 0);
        }
        for (RunEvent event : run.events()) {
            if (event instanceof RewardGiven reward && !RewardVersion.isOpinion(reward)) {
                if (!reward.isAbsent()) {
                    add(CurveKey.of(reward), place, reward.value());
                }
                reward.components().forEach(part -> add(CurveKey.of(reward, part), place, part.value()));
            } else if (event instanceof RunEnded end && result.counts()) {
                end.metrics()
                        .forEach((name, value) -> add(new CurveKey(CurveKey.Kind.RUN_METRIC, "", name), place, value));
            }
        }
    }

    /** Adds the numbers of a report. */
    public void add(MetricsReported report) {
        reports++;
        String place = axis.of(report, seconds);
        if (place == null) {
            reportsWithoutPlace++;
            return;
        }
        for (Map.Entry<String, Double> number : report.values().entrySet()) {
            if (!number.getKey().equals(report.stepField())) {
                add(new CurveKey(CurveKey.Kind.REPORTED, report.category(), number.getKey()), place, number.getValue());
            }
        }
    }

    private void add(CurveKey key, String place, double value) {
        if (curves.size() < MOST || curves.containsKey(key)) {
            curves.computeIfAbsent(key, unknown -> new TreeMap<>(NaturalOrder.INSTANCE))
                    .computeIfAbsent(place, unknown -> new CurvePoint())
                    .add(value);
        } else {
            leftOut++;
        }
    }

    Axis axis() {
        return axis;
    }

    /** Returns all curves, each with its points by their places. */
    SortedMap<CurveKey, NavigableMap<String, CurvePoint>> all() {
        return Collections.unmodifiableSortedMap(curves);
    }

    /** Returns the versions of policies that were evaluated, wherever they lie on the axis. */
    List<Checkpoint> checkpoints() {
        return checkpoints.all();
    }

    long runs() {
        return runs;
    }

    /** Returns how many runs are in no curve, since they lie nowhere on the axis. */
    long runsWithoutPlace() {
        return runsWithoutPlace;
    }

    /** Returns how many reports of numbers are in no curve, since they lie nowhere on the axis. */
    long reportsWithoutPlace() {
        return reportsWithoutPlace;
    }

    /** Returns how many values are in no curve, since there are so many curves. */
    long leftOut() {
        return leftOut;
    }

    NamedFigures fields() {
        return new NamedFigures()
                .put("x_axis", axis.field())
                .put("span_seconds", axis == Axis.TIME ? seconds : null)
                .put("runs", runs)
                .put("runs_without_place", runsWithoutPlace)
                .put("reports", reports)
                .put("reports_without_place", reportsWithoutPlace)
                .put("values_left_out", leftOut);
    }
}
