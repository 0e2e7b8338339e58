package dev.rlm.benchmarks.figure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;

/**
 * A contender that is a JMH benchmark: one method, with its parameters, in one fork. Its value {@code ns} is the median of its
 * iterations, of which a busy machine spoils some, and {@code ns, mean} their mean, beside what its {@link CallerBytes} counted. Code is
 * compiled while the fork waits: on two cores, a background compiler that is kept busy by the sinks leaves what is measured
 * uncompiled for ten seconds and more.
 */
public record JmhFork(String name, Class<?> benchmark, String method, int threads, Map<String, String> parameters)
        implements Contender {
    /** The name of its score. */
    public static final String NANOS = "ns";

    private static final String HEAP = "512m";
    private static final String MEAN = "ns, mean";
    private static final double HALF = 50;

    public JmhFork {
        parameters = Map.copyOf(parameters);
    }

    public static JmhFork of(String name, Class<?> benchmark, String method, int threads) {
        return new JmhFork(name, benchmark, method, threads, Map.of());
    }

    @Override
    public Sample measure() {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + benchmark.getName().replace(".", "\\.").replace("$", "\\.") + "\\." + method + "$")
                .threads(threads)
                .forks(1)
                .jvmArgs(Stream.concat(Fork.heap(HEAP).stream(), Fork.WAITING_FOR_COMPILER.stream())
                        .toArray(String[]::new))
                .addProfiler(CallerBytes.class)
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true);
        parameters.forEach(options::param);
        try {
            List<RunResult> results = new ArrayList<>(new Runner(options.build()).run());
            if (results.size() != 1) {
                throw new FigureException(name + ": " + results.size() + " benchmarks in place of one");
            }
            return sample(results.get(0));
        } catch (RunnerException e) {
            throw new FigureException(name + ": " + e.getMessage());
        }
    }

    private static Sample sample(RunResult result) {
        Map<String, Double> values = new TreeMap<>();
        Statistics iterations = result.getPrimaryResult().getStatistics();
        values.put(NANOS, iterations.getPercentile(HALF));
        values.put(MEAN, iterations.getMean());
        result.getSecondaryResults().forEach((name, other) -> values.put(name, other.getScore()));
        return new Sample(values);
    }
}
