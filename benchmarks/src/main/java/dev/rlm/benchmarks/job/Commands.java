package dev.rlm.benchmarks.job;

import dev.rlm.benchmarks.Median;
import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.FigureException;
import dev.rlm.benchmarks.figure.Sample;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A contender that is a command: how long it takes from its start to its exit, the median of some times. */
record Commands(String name, Path folder, Map<String, String> variables, int times, List<String> command)
        implements Contender {
    /** The name of its value. */
    static final String MILLIS = "ms";

    private static final double MILLISECOND = 1e6;
    private static final long MOST_SECONDS = 300;

    @Override
    public Sample measure() {
        double[] millis = new double[times];
        for (int i = 0; i < times; i++) {
            millis[i] = time() / MILLISECOND;
        }
        return new Sample(Map.of(MILLIS, Median.of(millis).value()));
    }

    private long time() {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD);
        builder.environment().putAll(variables);
        long start = System.nanoTime();
        try {
            Process process = builder.start();
            if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new FigureException(name + ": not done after " + MOST_SECONDS + " s");
            } else if (process.exitValue() != 0) {
                throw new FigureException(name + ": it exited with " + process.exitValue());
            }
            return System.nanoTime() - start;
        } catch (IOException e) {
            throw new FigureException(name + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FigureException("interrupted");
        }
    }
}
