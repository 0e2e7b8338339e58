package dev.rlm.runs.health;

import dev.rlm.sinks.schema.UsualMetric;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Training by its steps: numbers that were reported, and facts of its runs. Of a step it keeps some bytes
 * for each fact. It is filled first, and then asked; by one thread.
 */
public final class Training {
    /** The fewest points that tell a course. */
    static final int FEW = 10;

    private static final int SHOWN = 20; // runs

    private final Map<UsualMetric, SortedMap<String, Points>> reported = new EnumMap<>(UsualMetric.class);
    private final Map<Fact, SortedMap<String, NavigableMap<Double, Cell>>> recorded = new EnumMap<>(Fact.class);
    private final SortedMap<String, Long> losses = new TreeMap<>();

    /** Takes the values of a number that was reported under that name, by step. */
    public void report(UsualMetric metric, String name, SortedMap<Double, Double> finite) {
        reported.computeIfAbsent(metric, unknown -> new TreeMap<>())
                .merge(name, Points.of(finite), (one, other) -> one.size() >= other.size() ? one : other);
    }

    /**
     * Takes a fact of a run.
     *
     * @param name which of its kind; empty where there is one alone
     * @param rank the higher, the better the run shows the fact; NaN where it does not
     */
    public void add(Fact fact, String name, double step, double value, double rank, String run) {
        recorded.computeIfAbsent(fact, unknown -> new TreeMap<>())
                .computeIfAbsent(name, unknown -> new TreeMap<>())
                .computeIfAbsent(step, unknown -> new Cell())
                .add(value, rank, run);
    }

    /** Takes that something is so of a run, or that it is not. */
    public void add(Fact fact, String name, double step, boolean is, String run) {
        add(fact, name, step, is ? 1 : 0, is ? 1 : Double.NaN, run);
    }

    /** Takes that so many events, or lines, were lost. */
    public void lose(String what, long count) {
        if (count > 0) {
            losses.merge(what, count, Long::sum);
        }
    }

    SortedMap<String, Long> losses() {
        return Collections.unmodifiableSortedMap(losses);
    }

    /** Returns the first of these numbers that was reported often enough; of several of its names the one with most points. */
    Points reported(UsualMetric... metrics) {
        return Stream.of(metrics)
                .map(metric -> longest(all(metric)))
                .filter(points -> points.size() >= FEW)
                .findFirst()
                .orElse(Points.NONE);
    }

    /** Returns all that was reported of a number, by name. */
    SortedMap<String, Points> all(UsualMetric metric) {
        return reported.getOrDefault(metric, Collections.emptySortedMap());
    }

    /** Returns the means of a fact that has no name. */
    Points recorded(Fact fact) {
        return all(fact).getOrDefault("", Points.NONE);
    }

    /** Returns the means of a fact, by name. */
    SortedMap<String, Points> all(Fact fact) {
        SortedMap<String, Points> all = new TreeMap<>();
        cells(fact).forEach((name, cells) -> all.put(name, points(cells, cell -> cell.sum / cell.count)));
        return all;
    }

    private SortedMap<String, NavigableMap<Double, Cell>> cells(Fact fact) {
        return recorded.getOrDefault(fact, Collections.emptySortedMap());
    }

    private static Points points(NavigableMap<Double, Cell> cells, ToDoubleFunction<Cell> value) {
        SortedMap<Double, Double> points = new TreeMap<>();
        cells.forEach((step, cell) -> points.put(step, value.applyAsDouble(cell)));
        return Points.of(points);
    }

    /** Returns the number where it was reported, else the fact. */
    private Points either(Fact fact, UsualMetric... metrics) {
        Points points = reported(metrics);
        return points.size() > 0 ? points : recorded(fact);
    }

    Points reward() {
        return either(
                Fact.REWARD,
                UsualMetric.REWARD,
                UsualMetric.TRAINING_REWARD,
                UsualMetric.PENALISED_REWARD,
                UsualMetric.SCORE,
                UsualMetric.MEAN_RETURN);
    }

    /** Returns the rewards in validation, by name. */
    SortedMap<String, Points> validations() {
        return all(UsualMetric.VALIDATION_REWARD).isEmpty()
                ? all(Fact.VALIDATION_REWARD)
                : all(UsualMetric.VALIDATION_REWARD);
    }

    /** Returns the reward in validation that was told most often. */
    Points validation() {
        return longest(validations());
    }

    /** Returns the noise of a reward in validation; of that of runs no less than what chance among them makes. */
    double noise(Points validation) {
        double chance = all(UsualMetric.VALIDATION_REWARD).isEmpty() ? error(Fact.VALIDATION_REWARD) : 0;
        return Math.max(validation.noiseOfFew(), chance);
    }

    private static Points longest(SortedMap<String, Points> all) {
        return all.values().stream().max(Comparator.comparingInt(Points::size)).orElse(Points.NONE);
    }

    Points kl() {
        return reported(UsualMetric.KL_OF_UPDATE, UsualMetric.KL_ESTIMATED, UsualMetric.KL);
    }

    Points clipped() {
        return reported(UsualMetric.CLIPPED);
    }

    Points gradient() {
        return reported(UsualMetric.GRADIENT_NORM);
    }

    Points entropy() {
        Points entropy = reported(UsualMetric.ENTROPY);
        return entropy.size() > 0 ? entropy : reported(UsualMetric.ENTROPY_LOSS).absolute();
    }

    Points length() {
        return either(Fact.RESPONSE_TOKENS, UsualMetric.RESPONSE_LENGTH);
    }

    /** Returns the share of replies, or of prompts, that reached their limit: of both the one that is higher at the end. */
    Points cut() {
        Points replies = either(Fact.CUT, UsualMetric.RESPONSES_CUT);
        Points prompts = cutPrompts();
        return replies.size() == 0 || prompts.tailMean() > replies.tailMean() ? prompts : replies;
    }

    /** Returns the share of prompts that reached their limit. */
    Points cutPrompts() {
        return reported(UsualMetric.PROMPTS_CUT);
    }

    Points flat() {
        return either(Fact.FLAT, UsualMetric.FLAT_GROUPS);
    }

    Points stepTime() {
        return either(Fact.SECONDS, UsualMetric.STEP_TIME);
    }

    /** Returns the parts of the reward, by name. */
    SortedMap<String, Points> parts() {
        return all(UsualMetric.REWARD_PART).size() > 1 ? all(UsualMetric.REWARD_PART) : all(Fact.PART);
    }

    /** Returns how far the values of a fact lie apart: the highest less the lowest, under whichever name; 0 of none. */
    double range(Fact fact) {
        List<Cell> all = allCells(fact);
        return all.isEmpty()
                ? 0
                : all.stream().mapToDouble(cell -> cell.max).max().orElse(0)
                        - all.stream().mapToDouble(cell -> cell.min).min().orElse(0);
    }

    private List<Cell> allCells(Fact fact) {
        return cells(fact).values().stream()
                .flatMap(cells -> cells.values().stream())
                .toList();
    }

    /** Returns the standard error of a step's mean, which is no more than chance among its runs; 0 where it is not known. */
    double error(Fact fact) {
        double[] errors =
                allCells(fact).stream().mapToDouble(Cell::error).sorted().toArray();
        return errors.length == 0 ? 0 : errors[errors.length / 2];
    }

    /** Returns the share of runs in training that have the highest reward of all. */
    Points atBest() {
        double best = allCells(Fact.REWARD).stream()
                .mapToDouble(cell -> cell.max)
                .max()
                .orElse(0);
        NavigableMap<Double, Cell> cells = cells(Fact.REWARD).getOrDefault("", new TreeMap<>());
        return points(cells, cell -> cell.max < best ? 0 : (double) cell.atMax / cell.count);
    }

    /** Returns runs that show a fact, of the last steps first; as far back as that step, or a fifth of all where it is later. */
    List<String> runs(Fact fact, String name, double from) {
        NavigableMap<Double, Cell> cells = cells(fact).getOrDefault(name, new TreeMap<>());
        Points all = points(cells, cell -> (double) cell.count);
        List<String> runs = new ArrayList<>();
        cells.tailMap(Math.min(from, all.tailStep()), true)
                .descendingMap()
                .values()
                .forEach(cell -> cell.runs.forEach(run -> runs.add(run.id)));
        return runs.stream().distinct().limit(SHOWN).toList();
    }

    /** Returns runs of training at the steps from that one on. */
    List<String> runs(double from) {
        return runs(Fact.REWARD, "", from);
    }

    private record Ranked(String id, double rank) {}

    /** The values of a fact at a step. */
    private static final class Cell {
        private static final int KEPT = 5; // runs

        private final List<Ranked> runs = new ArrayList<>(1);
        private long count;
        private double sum;
        private double squares;
        private double min = Double.POSITIVE_INFINITY;
        private double max = Double.NEGATIVE_INFINITY;
        private long atMax;

        void add(double value, double rank, String run) {
            count++;
            sum += value;
            squares += value * value;
            min = Math.min(min, value);
            atMax = value > max ? 1 : atMax + (value == max ? 1 : 0);
            max = Math.max(max, value);
            if (!Double.isNaN(rank)) {
                runs.add(new Ranked(run, rank));
                runs.sort(Comparator.comparingDouble(Ranked::rank).reversed());
                if (runs.size() > KEPT) {
                    runs.remove(KEPT);
                }
            }
        }

        double error() {
            double mean = sum / count;
            return Math.sqrt(Math.max(0, squares / count - mean * mean) / count);
        }
    }
}
