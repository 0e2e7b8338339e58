package dev.rlm.engine.spark;

import dev.rlm.engine.EngineContext;
import dev.rlm.engine.EpisodeEngine;
import dev.rlm.engine.EpisodeGroup;
import dev.rlm.engine.EpisodeHandle;
import dev.rlm.engine.EpisodeRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * Engine that runs each episode as a task of Spark. Executors send the events of its runs to the job's own hub, or to the recorder
 * that {@code RLM_RECORD_URL} names; an attempt is accepted once its record is synced there.
 */
final class SparkEngine implements EpisodeEngine<EpisodeRequest> {
    private final EngineContext context;
    private final List<SparkJob<?>> jobs = new ArrayList<>(); // guarded by this

    SparkEngine(EngineContext context) {
        this.context = context;
    }

    @Override
    public synchronized EpisodeHandle submit(EpisodeGroup<? extends EpisodeRequest> group) {
        SparkJob<?> job = new SparkJob<>(context, group);
        jobs.add(job);
        job.start();
        return job;
    }

    @Override
    public synchronized void close() {
        jobs.forEach(SparkJob::close);
    }
}
