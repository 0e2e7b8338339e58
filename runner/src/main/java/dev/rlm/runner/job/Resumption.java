package dev.rlm.runner.job;

import dev.rlm.cli.RecordPlaces;
import dev.rlm.engine.AttemptHistory;
import dev.rlm.episodes.SetupException;
import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RunInfo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * An interrupted job of the journal that is gone on with. Until it is closed no other process can do the same.
 *
 * @param invocation the job's id, which the rest of it keeps
 * @param histories the attempts of each rollout that was begun; nothing else of what was read is kept for the whole job
 */
record Resumption(String invocation, Map<RolloutPlace, AttemptHistory> histories, JobLock lock)
        implements AutoCloseable {
    /** The parameter of a run that tells its job's plan: jobs with the same one would run the same episodes. */
    static final String PLAN = "plan";

    /**
     * Finds the job and takes it, also where nothing of it is left to do.
     *
     * @param id the job's invocation id, or its beginning; empty for the latest one with the same plan that was interrupted
     * @param sinks what is to record the rest
     * @throws SetupException if there is none that can be resumed; the message says why
     */
    static Resumption of(String id, Wanted wanted, SinkConfig config, Sinks sinks) {
        Path journal = Journal.configured(config).toAbsolutePath().normalize();
        if (!RecordPlaces.areIn(journal, sinks)) {
            throw new SetupException("--resume needs the journal, in which none of the sinks chosen records");
        }
        IndexCache index = IndexCache.configured(config);
        try {
            JournalWriters writers = JournalWriters.of(journal);
            RecordedJob found = chosen(jobs(journal, index), id, wanted);
            JobLock lock = JobLock.take(journal, found.invocation())
                    .orElseThrow(() -> new SetupException(inUse(found.invocation())));
            try {
                boolean same = JournalWriters.of(journal).areAtRestSince(writers);
                RecordedJob job = same ? found : chosen(jobs(journal, index), found.invocation(), wanted);
                return new Resumption(job.invocation(), job.histories(), lock);
            } catch (RuntimeException e) {
                lock.close();
                throw e;
            }
        } catch (JournalException e) {
            throw new SetupException("nothing to resume: " + e.getMessage());
        }
    }

    private static List<RecordedJob> jobs(Path journal, IndexCache index) {
        Map<List<Object>, RecordedJob> jobs = new LinkedHashMap<>();
        Journal.open(journal, index).runs().forEach(run -> {
            RunInfo info = run.row().run();
            String invocation = info.correlation().invocation();
            Object plan = info.params().get(PLAN);
            if (invocation != null && plan != null) {
                jobs.computeIfAbsent(
                                List.of(invocation, plan), key -> new RecordedJob(invocation, plan, new ArrayList<>()))
                        .runs()
                        .add(run);
            }
        });
        List<RecordedJob> latestFirst = new ArrayList<>(jobs.values());
        Collections.reverse(latestFirst);
        return latestFirst;
    }

    private static RecordedJob chosen(List<RecordedJob> jobs, String id, Wanted wanted) {
        if (jobs.isEmpty()) {
            throw new SetupException("nothing to resume: the journal has no job of rlm run");
        }
        RecordedJob job = id.isEmpty() ? latest(jobs, wanted) : named(jobs, id, wanted);
        if (job.isHeld()) {
            throw new SetupException(inUse(job.invocation()));
        }
        return job;
    }

    private static RecordedJob latest(List<RecordedJob> jobs, Wanted wanted) {
        List<RecordedJob> same =
                jobs.stream().filter(job -> wanted.isPlanOf(job)).toList();
        if (same.isEmpty()) {
            throw other(jobs.get(0), wanted);
        }
        return same.stream().filter(job -> !wanted.isOver(job)).findFirst().orElse(same.get(0));
    }

    private static RecordedJob named(List<RecordedJob> jobs, String id, Wanted wanted) {
        List<RecordedJob> named = narrowed(
                narrowed(
                        jobs.stream()
                                .filter(job -> job.invocation().startsWith(id))
                                .toList(),
                        job -> job.invocation().equals(id)),
                job -> wanted.isPlanOf(job));
        if (named.size() != 1) {
            throw new SetupException("--resume " + id + ": the journal has " + (named.isEmpty() ? "no" : named.size())
                    + " such jobs; " + (named.isEmpty() ? "the latest is " : "one is ")
                    + (named.isEmpty() ? jobs : named).get(0).invocation());
        }
        if (!wanted.isPlanOf(named.get(0))) {
            throw other(named.get(0), wanted);
        }
        return named.get(0);
    }

    /** Those that fit, if any does. */
    private static List<RecordedJob> narrowed(List<RecordedJob> jobs, Predicate<RecordedJob> fits) {
        List<RecordedJob> fitting = jobs.stream().filter(fits).toList();
        return fitting.isEmpty() ? jobs : fitting;
    }

    private static SetupException other(RecordedJob job, Wanted wanted) {
        List<String> differences = job.differences(wanted.first());
        return new SetupException("nothing to resume: job " + job.invocation() + " was started with other options: "
                + (differences.isEmpty()
                        ? "other samples, settings or another pass reward"
                        : String.join("; ", differences)));
    }

    private static String inUse(String invocation) {
        return "job " + invocation + " goes on in another process, or is being recovered: it cannot be resumed now";
    }

    @Override
    public void close() {
        lock.close();
    }

    /**
     * The job to be resumed.
     *
     * @param first a run of it, which tells its plan
     * @param size how many rollouts there are
     * @param retries how often a failed rollout is tried again
     */
    record Wanted(RunSpec first, int size, int retries) {
        private boolean isPlanOf(RecordedJob job) {
            return job.plan().toString().equals(first.params().get(PLAN));
        }

        private boolean isOver(RecordedJob job) {
            return job.histories().values().stream()
                            .filter(history -> history.isOver(retries))
                            .count()
                    >= size;
        }
    }
}
