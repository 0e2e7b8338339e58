package dev.rlm.runner.job;

import dev.rlm.cli.Console;
import dev.rlm.cli.DrainWait;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.StartRecovery;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.engine.EpisodeEngine;
import dev.rlm.engine.EpisodeResult;
import dev.rlm.engine.JobLimits;
import dev.rlm.episodes.SetupException;
import dev.rlm.journal.Journal;
import dev.rlm.runner.episode.Job;
import dev.rlm.runner.episode.JobSpan;
import dev.rlm.runner.episode.Rollout;
import dev.rlm.runner.episode.RolloutSource;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;

/**
 * A plan that is carried out: new or gone on with, recorded, and told of. For one thread.
 *
 * @param variables that an engine's other processes need
 * @param config the program's, with what was said of the journal
 * @param sinkNames the sinks that were named; empty where the configuration chooses
 * @param sinks the hub of both
 */
record JobRun(
        JobPlan plan,
        JobOptions options,
        EngineOptions engines,
        Supplier<Map<String, String>> variables,
        SinkConfig config,
        List<String> sinkNames,
        Sinks sinks,
        Console console,
        JobMessages messages) {
    /**
     * Carries it out.
     *
     * @param given the job's id; {@code null} where the caller gives none
     * @param file the job's options
     * @param arguments the program's
     * @return the exit code
     */
    int run(@Nullable String given, JobFile file, List<String> arguments) {
        JobLimits limits = engines.limits(options.limits());
        try (Interruption interruption = engines.interruption(console, Thread.currentThread()::interrupt);
                Resumption earlier = options.resume == null ? null : find(options.resume, given, interruption)) {
            warn();
            String invocation = earlier != null
                    ? earlier.invocation()
                    : given != null
                            ? messages.redacted(given)
                            : UUID.randomUUID().toString(); // it names files
            JobSpan span = plan.isInTrace()
                    ? JobSpan.NONE
                    : JobSpan.start(sinks, limits, plan.roles().size(), Map.of("rlm.invocation_id", invocation));
            EpisodeEngine<? super Rollout> engine =
                    engines.open(invocation, plan, file, variables, span, limits, sinks, config);
            Job job = new Job(
                    RolloutSource.of(plan.rollouts(
                            invocation, earlier == null ? Map.of() : earlier.histories(), span.traceparent())),
                    engine,
                    limits);
            if (!interruption.nowStops(job::stop)) {
                Thread.interrupted(); // it has been heeded: the sinks are to close as ever
                job.stop();
                span.end(job.counts(), job.wasInterrupted(), job.wasStopped());
                messages.say("interrupted" + (options.resume == null ? "" : " while the journal was read")
                        + ": no run was started");
                return Interruption.EXIT_CODE;
            }
            Integer resumed = earlier == null ? null : job.ended();
            if (resumed != null) {
                messages.resumed(job, limits.retries());
            }
            try (StartRecovery recovery = StartRecovery.of(config, sinkNames, sinks, messages.information());
                    JobLog log = recovery.isOfJournal() ? log(invocation) : JobLog.none()) {
                if (recovery.isOfJournal() && earlier == null) {
                    keep(file, invocation);
                }
                messages.logIn(log);
                log.line((earlier == null ? "started: " : "resumed: ") + job.ended() + " of " + job.size()
                        + " rollouts are over");
                job.tellFailures(messages::failed);
                Summary summary = run(job, engine, span, recovery, invocation, resumed, interruption);
                messages.tell(summary);
                if (job.wasStopped()) {
                    messages.stopped(job, summary, recovery.isOfJournal(), arguments);
                }
                int exitCode = exitCode(job, summary);
                log.line(new JobProgress(job::counts, System::nanoTime).get() + "; exit code " + exitCode);
                return exitCode;
            }
        }
    }

    /**
     * The job to go on with; none where the process was told to end meanwhile, for then not all of the journal was read.
     *
     * @param id the id of the job to go on with, or its beginning; empty for the latest
     */
    private @Nullable Resumption find(String id, @Nullable String given, Interruption interruption) {
        if (given != null && !given.startsWith(id)) {
            throw new UsageException(
                    "--invocation " + given + " and --resume " + id + " name two jobs: give one of them");
        }
        try {
            return Resumption.of(
                    given == null ? id : given, plan.wanted(options.limits().retries()), config, sinks);
        } catch (SetupException e) {
            if (interruption.wasTold()) {
                return null;
            }
            throw e;
        }
    }

    private void warn() {
        List<String> badLines = plan.badLines();
        if (!badLines.isEmpty()) {
            messages.hint("passed over bad lines: " + badLines.size() + "; the first: " + badLines.get(0));
        }
        if (plan.leavesRolloutOut()) {
            messages.hint(TrainingOptions.ROLLOUT_VARIABLE + " is left out: it names one rollout, and this job has "
                    + plan.roles().size());
        }
        messages.unavailable(sinks.statuses());
    }

    /** Keeps in the journal what the job is, so that it can be gone on with, and done again, without a word of it. */
    private void keep(JobFile file, String invocation) {
        try {
            file.toKeep().keep(journal(), invocation, messages::redacted);
        } catch (IOException e) {
            console.warn("the job's options are not kept in the journal: " + e);
        }
    }

    private JobLog log(String invocation) {
        try {
            return JobLog.open(journal(), invocation);
        } catch (IOException e) {
            console.warn("the job's log is not kept in the journal: " + e);
            return JobLog.none();
        }
    }

    private Path journal() {
        return Journal.configured(config).toAbsolutePath().normalize();
    }

    private Summary run(
            Job job,
            EpisodeEngine<?> engine,
            JobSpan span,
            StartRecovery recovery,
            String invocation,
            @Nullable Integer resumed,
            Interruption interruption) {
        List<EpisodeResult> results;
        long start = System.nanoTime();
        try (engine;
                Progress ignored = messages.progress(new JobProgress(job::counts, System::nanoTime));
                Progress alsoIgnored = messages.logged(new JobProgress(job::counts, System::nanoTime))) {
            results = job.run();
        }
        if (!job.wasStopped() && plan.replays() == null) {
            evaluated(EvaluatorNumbers.of(plan.ids(), results, Duration.ofNanos(System.nanoTime() - start)));
        }
        span.end(job.counts(), job.wasInterrupted(), job.wasStopped());
        String first = job.firstRun();
        Collection<URI> locations =
                first == null ? List.of() : sinks.locations(first).values();
        DrainWait drain = new DrainWait(sinks);
        boolean interrupted = job.wasInterrupted() || isInterruptedBefore(drain, interruption);
        Duration closeTime = interrupted ? Interruption.CLOSE_TIME : drain.closeTime();
        long by = System.nanoTime() + closeTime.toNanos();
        sinks.close(closeTime);
        recovery.close(Duration.ofNanos(Math.max(0, by - System.nanoTime())));
        return new Summary(
                Summary.figures(results),
                Summary.models(results),
                Summary.failures(results, messages::redacted),
                Summary.groups(plan.roles(), job.histories()),
                Summary.Extent.of(invocation, job, resumed),
                plan.badLines().size(),
                first,
                locations,
                sinks.statuses(),
                sinks.redactions(),
                plan.replays());
    }

    private void evaluated(Map<String, Double> numbers) {
        if (!numbers.isEmpty()) {
            sinks.metrics(EvaluatorNumbers.CATEGORY, numbers);
        }
    }

    /** Waits for what is on its way; whether the process was told to end before it was there. */
    private boolean isInterruptedBefore(DrainWait drain, Interruption interruption) {
        Thread waiting = Thread.currentThread();
        if (interruption.nowStops(waiting::interrupt)) {
            try (Progress ignored = messages.progress(drain)) {
                drain.await(options.drainTimeout);
            }
        }
        return Thread.interrupted() || interruption.wasTold();
    }

    private int exitCode(Job job, Summary summary) {
        if (job.wasInterrupted()) {
            return Interruption.EXIT_CODE;
        } else if (!job.fatal().isEmpty()) {
            return ExitCode.SOFTWARE;
        } else if (summary.replays() != null) {
            return summary.replays().divergences().isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
        } else if (summary.hasFailed()) {
            console.error(
                    "every run failed: " + String.join(", ", summary.failures().lines(1)));
            return ExitCode.SOFTWARE;
        }
        return ExitCode.OK;
    }
}
