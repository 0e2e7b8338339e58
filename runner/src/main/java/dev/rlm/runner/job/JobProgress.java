package dev.rlm.runner.job;

import dev.rlm.cli.Durations;
import dev.rlm.runner.episode.JobCounts;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The line that tells how far a job has come, what it came to so far and how long the rest may take. For one thread. */
final class JobProgress implements Supplier<String> {
    private static final double PER_MINUTE_BELOW = 0.5; // runs a second

    private final Supplier<JobCounts> job;
    private final Throughput throughput;

    /** The line of a job that starts now. */
    JobProgress(Supplier<JobCounts> job, LongSupplier nanoTime) {
        this.job = job;
        this.throughput = new Throughput(job.get().ended(), nanoTime);
    }

    @Override
    public String get() {
        JobCounts counts = job.get();
        double perSecond = throughput.perSecond(counts.ended());
        StringBuilder line = new StringBuilder()
                .append(counts.ended() + " of " + counts.size() + " runs, " + counts.running() + " running");
        if (counts.failed() > 0) {
            line.append(", " + counts.failed() + " failed");
        }
        if (counts.decided() > 0) {
            line.append(", " + Math.round(100.0 * counts.solved() / counts.decided()) + "% solved");
        }
        if (!Double.isNaN(counts.meanReward())) {
            line.append(String.format(Locale.ROOT, ", reward %.3f", counts.meanReward()));
        }
        if (perSecond > 0) {
            line.append(", " + rate(perSecond));
        }
        Throughput.left(counts.size() - counts.ended(), perSecond)
                .ifPresent(left -> line.append(", " + Durations.text(left) + " left"));
        return line.toString();
    }

    private static String rate(double perSecond) {
        return perSecond < PER_MINUTE_BELOW
                ? String.format(Locale.ROOT, "%.1f/min", perSecond * 60)
                : String.format(Locale.ROOT, "%.1f/s", perSecond);
    }
}
