package dev.rlm.benchmarks.job;

import dev.rlm.benchmarks.Median;
import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.FigureException;
import dev.rlm.benchmarks.figure.Sample;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A contender that is a command: how long it takes from its start to its exit, and what processor time it and all that it starts
 * take, medians of some times. A shell starts it and tells the processor time, which Java does not know of a process that is over.
 */
record Commands(String name, Path folder, Map<String, String> variables, int times, List<String> command)
        implements Contender {
    /** The names of its values. */
    static final String MILLIS = "ms";

    static final String CPU = "CPU s";

    private static final List<String> SHELL =
            List.of("bash", "-c", "\"$@\" >/dev/null 2>&1; code=$?; times; exit $code", "command");
    private static final Pattern TIME = Pattern.compile("(\\d+)m(\\d+)[.,](\\d{3})s");
    private static final double MILLISECOND = 1e6;
    private static final double SECOND = 1e3; // in milliseconds
    private static final long MOST_SECONDS = 300;

    @Override
    public Sample measure() {
        double[] millis = new double[times];
        double[] seconds = new double[times];
        for (int i = 0; i < times; i++) {
            long start = System.nanoTime();
            seconds[i] = run();
            millis[i] = (System.nanoTime() - start) / MILLISECOND;
        }
        return new Sample(Map.of(
                MILLIS, Median.of(millis).value(), CPU, Median.of(seconds).value()));
    }

    /** Runs it once; returns the processor time in seconds. */
    private double run() {
        List<String> all = new ArrayList<>(SHELL);
        all.addAll(command);
        ProcessBuilder builder =
                new ProcessBuilder(all).directory(folder.toFile()).redirectError(Redirect.DISCARD);
        builder.environment().putAll(variables);
        try {
            Process process = builder.start();
            if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                throw new FigureException(name + ": not done after " + MOST_SECONDS + " s");
            } else if (process.exitValue() != 0) {
                throw new FigureException(name + ": it exited with " + process.exitValue());
            }
            return seconds(new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new FigureException(name + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FigureException("interrupted");
        }
    }

    /** User and system time together of what the shell has started, which stands on the second line. */
    private static double seconds(String times) {
        return TIME.matcher(times.substring(times.indexOf('\n') + 1))
                        .results()
                        .mapToLong(time -> TimeUnit.MINUTES.toMillis(Long.parseLong(time.group(1)))
                                + TimeUnit.SECONDS.toMillis(Long.parseLong(time.group(2)))
                                + Long.parseLong(time.group(3)))
                        .sum()
                / SECOND;
    }
}
