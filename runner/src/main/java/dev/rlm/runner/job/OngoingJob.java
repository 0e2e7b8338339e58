package dev.rlm.runner.job;

import dev.rlm.cli.Interruption;
import dev.rlm.cli.StartRecovery;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.engine.EpisodeResult;
import dev.rlm.engine.JobLimits;
import dev.rlm.runner.episode.Job;
import dev.rlm.runner.episode.JobCounts;
import dev.rlm.runner.episode.JobSpan;
import dev.rlm.runner.episode.Rollout;
import dev.rlm.runner.episode.RolloutSource;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Outcome;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;

/**
 * Job whose rollouts others ask for while it goes on: until the process is told to end, or too many have failed. Safe for use by
 * several threads.
 */
public final class OngoingJob {
    private static final Duration STOP_TIME = Duration.ofSeconds(5); // of rollouts that are aborted at the end

    private final Job job;
    private final Sinks sinks;
    private final PrintWriter err;
    private final Function<Supplier<String>, Progress> progress;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final CompletableFuture<Void> endRequested = new CompletableFuture<>();
    private final Map<Outcome, Integer> ended = new ConcurrentHashMap<>();

    /**
     * Makes a job that takes its rollouts from that source.
     *
     * @param progress shows a line to a person while the job goes on
     */
    public OngoingJob(
            RolloutSource source,
            Sinks sinks,
            JobLimits limits,
            PrintWriter err,
            Function<Supplier<String>, Progress> progress) {
        this.job = new Job(() -> counted(source.next()), sinks, JobSpan.NONE, limits);
        this.sinks = sinks;
        this.err = err;
        this.progress = progress;
    }

    private @Nullable Rollout counted(@Nullable Rollout rollout) {
        if (rollout != null) {
            var unused = rollout.over().thenAccept(history -> {
                EpisodeResult last = history.last();
                ended.merge(last == null ? Outcome.ABORTED : last.outcome(), 1, Integer::sum);
            });
        }
        return rollout;
    }

    /** Returns how long the end may take where the rollouts have that long: for {@link Interruption}. */
    public static Duration endTime(Duration drainTime) {
        return drainTime.plus(STOP_TIME).plus(Interruption.CLOSE_TIME).plusSeconds(1);
    }

    /** Has the job end. */
    public void end() {
        endRequested.complete(null);
    }

    /**
     * Runs what the source has until the job is told to end; then gives those that run their time, aborts the others, and closes the
     * sinks.
     *
     * @param drain ends the source
     * @return the exit code
     */
    public int run(Runnable drain, Duration drainTime, StartRecovery recovery) throws InterruptedException {
        Thread runner = new Thread(this::runJob, "rlm-job");
        runner.setDaemon(true);
        runner.start();
        try (Progress ignored = progress.apply(this::line)) {
            await(CompletableFuture.anyOf(endRequested, over), null);
        }
        drain.run();
        int running = job.counts().running();
        if (running > 0 && !over.isDone()) {
            say("waiting for " + Counted.of(running, "rollout") + " to end");
        }
        if (!await(over, drainTime)) {
            job.stop();
            await(over, STOP_TIME);
        }
        long by = System.nanoTime() + Interruption.CLOSE_TIME.toNanos();
        sinks.close(Interruption.CLOSE_TIME);
        recovery.close(Duration.ofNanos(Math.max(0, by - System.nanoTime())));
        sinks.statuses().forEach(this::warnOfLosses);
        say("rollouts: " + ended(Outcome.COMPLETED) + " completed, " + ended(Outcome.FAILED) + " failed, "
                + ended(Outcome.ABORTED) + " aborted");
        return exitCode();
    }

    private String line() {
        JobCounts counts = job.counts();
        return counts.running() + " running, " + counts.ended() + " ended, " + counts.failed() + " of them failed"
                + (Double.isNaN(counts.meanReward())
                        ? ""
                        : String.format(Locale.ROOT, ", reward %.3f", counts.meanReward()));
    }

    private void runJob() {
        try {
            job.run();
            over.complete(null);
        } catch (RuntimeException | Error e) {
            job.stop();
            over.completeExceptionally(e);
        }
    }

    /** Waits for something, so long at the most; {@code null} for as long as it takes. Returns whether it came. */
    private static boolean await(CompletableFuture<?> event, @Nullable Duration time) throws InterruptedException {
        try {
            if (time == null) {
                event.get();
            } else {
                event.get(time.toNanos(), TimeUnit.NANOSECONDS);
            }
            return true;
        } catch (ExecutionException e) {
            return true; // see exitCode
        } catch (TimeoutException e) {
            return false;
        }
    }

    private int exitCode() {
        if (over.isCompletedExceptionally()) {
            over.join(); // tells why
        }
        job.fatal()
                .forEach(failure -> say("failed: run " + failure.runId() + ": "
                        + sinks.content(failure.failure()).text()));
        return job.fatal().isEmpty() ? Interruption.EXIT_CODE : ExitCode.SOFTWARE;
    }

    private int ended(Outcome outcome) {
        return ended.getOrDefault(outcome, 0);
    }

    private void warnOfLosses(SinkStatus status) {
        Ledger ledger = status.ledger();
        if (ledger.lost() + ledger.queued() > 0) {
            say("warning: sink '" + status.name() + "' has not delivered " + (ledger.lost() + ledger.queued()) + " of "
                    + ledger.offered() + " events");
        }
    }

    /** Tells the user a line. */
    public void say(String line) {
        err.println(Printable.line(line));
        err.flush();
    }
}
