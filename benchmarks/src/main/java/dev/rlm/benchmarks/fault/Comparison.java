package dev.rlm.benchmarks.fault;

import dev.rlm.benchmarks.Median;
import dev.rlm.benchmarks.fault.Side.Cost;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.random.RandomGenerator;

/**
 * The same workload in short blocks, alternately with healthy sinks alone and with a faulty one beside them, which of
 * the two first left to chance. A disturbance of the machine that lasts longer than a block affects both alike and
 * falls out of the ratio of a pair.
 */
final class Comparison {
    private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Workload.Block block;
    private final RandomGenerator random = new SplittableRandom(1);
    private final List<Cost> healthy = new ArrayList<>();
    private final List<Cost> faulty = new ArrayList<>();

    private Comparison(Workload.Block block) {
        this.block = block;
    }

    /** Measures so many pairs, after a quarter as many that do not count; fewer where that takes more than a minute. */
    static Result measure(Workload workload, Misbehaviour fault, int pairs, Path folder) {
        Comparison comparison = new Comparison(workload.block());
        try (Side without = new Side(folder.resolve("healthy"), Misbehaviour.NONE);
                Side with = new Side(folder.resolve("faulty"), fault)) {
            comparison.repeat(pairs / 4, without, with);
            comparison.healthy.clear();
            comparison.faulty.clear();
            comparison.repeat(pairs, without, with);
            return comparison.result(workload, fault, with.state());
        }
    }

    private void repeat(int pairs, Side without, Side with) {
        long end = System.nanoTime() + MOST_NANOS;
        for (int i = 0; i < pairs && System.nanoTime() - end < 0; i++) {
            boolean faultyFirst = random.nextBoolean();
            if (faultyFirst) {
                faulty.add(with.measure(block));
            }
            healthy.add(without.measure(block));
            if (!faultyFirst) {
                faulty.add(with.measure(block));
            }
        }
    }

    private Result result(Workload workload, Misbehaviour fault, String state) {
        boolean counted = block.events() > 0; // elsewhere the work is done on other threads
        return new Result(
                workload,
                fault,
                ratios(Cost::wall),
                counted ? ratios(Cost::cpu) : Median.of(new double[0]),
                counted ? perEvent(healthy) : Double.NaN,
                counted ? perEvent(faulty) : Double.NaN,
                state);
    }

    private Median ratios(ToDoubleFunction<Cost> figure) {
        double[] ratios = new double[healthy.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = figure.applyAsDouble(faulty.get(i)) / figure.applyAsDouble(healthy.get(i));
        }
        return Median.of(ratios);
    }

    private double perEvent(List<Cost> costs) {
        return Median.of(costs.stream()
                        .mapToDouble(cost -> (double) cost.cpu() / block.events())
                        .toArray())
                .value();
    }

    /**
     * Result of a comparison.
     *
     * @param wall ratio by the clock: with the faulty sink ÷ without
     * @param cpu the same ratio by the processor time of the runner's thread; empty if there are several threads
     * @param healthyNanos processor time of the runner's thread for each event, with healthy sinks alone
     * @param faultyNanos processor time of the runner's thread for each event, with the faulty one beside them
     * @param state state of the faulty sink at the end
     */
    record Result(
            Workload workload,
            Misbehaviour fault,
            Median wall,
            Median cpu,
            double healthyNanos,
            double faultyNanos,
            String state) {}
}
