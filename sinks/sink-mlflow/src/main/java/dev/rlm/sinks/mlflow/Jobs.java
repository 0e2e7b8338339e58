package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.mlflow.rest.CreateRunRequest;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The MLflow run of each job. A job is all runs of one training, where they tell the trainer's run, else of one invocation; those
 * without one belong to the process, or to what is sent again. On the lane only.
 */
final class Jobs {
    /** The job of runs that are sent again and have no invocation. */
    static final String RESENT = "resent";

    private static final int MAX_JOBS = 1_000;

    private final RunRequests requests;
    private final Function<CreateRunRequest, MlflowRun> maker;
    private final String process;
    private final boolean single;
    private final Map<String, MlflowRun> byKey = new LinkedHashMap<>();

    /**
     * @param maker makes a run of a form
     * @param settings which may say that all runs belong to one job, whatever they tell
     */
    Jobs(
            RunRequests requests,
            Function<CreateRunRequest, MlflowRun> maker,
            boolean resending,
            MlflowSettings settings) {
        this.requests = requests;
        this.maker = maker;
        String training = settings.training();
        single = settings.runId() != null || training != null;
        process = training != null
                ? training
                : resending ? RESENT : UUID.randomUUID().toString();
    }

    /** The job that the run belongs to. */
    MlflowRun of(RunInfo run) {
        String key = key(run);
        MlflowRun job = byKey.get(key);
        if (job == null) {
            job = maker.apply(requests.job(key, run));
            byKey.put(key, job);
        } else {
            job.describe(requests.job(key, run));
        }
        return job;
    }

    private String key(RunInfo run) {
        String training = run.correlation().trainerRun();
        String job = training == null ? run.correlation().invocation() : training;
        return job == null || single ? process : job;
    }

    /** The job that the run belongs to, if it is known. */
    Optional<MlflowRun> known(RunInfo run) {
        return Optional.ofNullable(byKey.get(key(run)));
    }

    /** All that are known. */
    Collection<MlflowRun> all() {
        return byKey.values();
    }

    /** The job that numbers of training belong to: the only one, or else the process's. */
    MlflowRun ofTraining(Instant time) {
        return byKey.size() == 1
                ? byKey.values().iterator().next()
                : byKey.computeIfAbsent(process, key -> maker.apply(requests.job(key, time)));
    }

    /** Lets go of the job that is known for the longest and has no episode open, if there are too many. */
    Optional<MlflowRun> forgetOne(Supplier<? extends Collection<MlflowRun>> inUse) {
        if (byKey.size() <= MAX_JOBS) {
            return Optional.empty();
        }
        Collection<MlflowRun> kept = inUse.get();
        for (Iterator<MlflowRun> jobs = byKey.values().iterator(); jobs.hasNext(); ) {
            MlflowRun job = jobs.next();
            if (!kept.contains(job)) {
                jobs.remove();
                return Optional.of(job);
            }
        }
        return Optional.empty();
    }
}
