package dev.rlm.runner.job;

import dev.rlm.engine.AttemptHistory;
import dev.rlm.engine.JobDescription;
import dev.rlm.engine.LostException;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.episode.Rollout;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.event.TraceContext;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Episodes of a job that another process has planned, for an engine that runs them in this one. Safe for use by several threads. */
public final class PlannedEpisodes implements AutoCloseable {
    private final JobDescription job;
    private final Catalog catalog;
    private final JobPlan plan;

    /**
     * Makes the plan again.
     *
     * @throws SetupException if that cannot be done here, or comes to another plan; the message says why
     */
    public PlannedEpisodes(JobDescription job) {
        this.job = job;
        SinkConfig config = SinkConfig.of(job.variables());
        EpisodeOptions options = RunCommand.episodes(new JobFile("the job", job.options()));
        this.catalog = new Catalog(options, List.of(), config);
        try {
            this.plan = new JobPlan(
                    options,
                    catalog,
                    TraceContext.from(job.parent()),
                    config.shared().string(TrainingOptions.ROLLOUT_VARIABLE).orElse(null));
            if (!plan.digest().equals(job.plan())) {
                throw new SetupException(
                        "the plan is another one here: all machines need the same data set, plug-ins and"
                                + " version of rlm");
            }
        } catch (RuntimeException e) {
            catalog.close();
            throw e;
        }
    }

    /** Returns the policy's secret values. */
    public Collection<String> secrets() {
        return catalog.policy().secrets();
    }

    /** Returns the trace that a span of the job's process stands for, with what the job was handed of baggage. */
    public TraceContext within(String traceparent) {
        return new TraceContext(
                traceparent, plan.parent().tracestate(), plan.parent().baggage());
    }

    /**
     * Returns the rollout at that place.
     *
     * @param before how it stands
     * @param parent the trace and the baggage of its runs
     * @param timeout how long each attempt may take; {@code null} for no limit
     */
    public Rollout rollout(int place, AttemptHistory before, TraceContext parent, @Nullable Duration timeout) {
        return plan.rollout(place, before, parent, job, timeout);
    }

    /**
     * Returns the rollout at that place as one that fails at once: each of so many attempts was lost with its process.
     *
     * @param before how it stands
     * @param parent the trace and the baggage of its run
     */
    public Rollout lost(int place, AttemptHistory before, TraceContext parent, int attempts) {
        return plan.rollout(place, before, parent, job, null).failing(() -> new LostException(attempts));
    }

    @Override
    public void close() {
        catalog.close();
    }
}
