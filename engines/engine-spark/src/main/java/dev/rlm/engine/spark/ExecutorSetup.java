package dev.rlm.engine.spark;

import dev.rlm.engine.JobDescription;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Setup of a job on an executor. It holds secrets, and is sent with tasks and never as configuration, which pages show.
 *
 * @param recordUrl where events go
 * @param recordToken what signs in there; {@code null} for nothing
 */
record ExecutorSetup(
        JobDescription job, String recordUrl, @Nullable String recordToken) implements Serializable {
    @Override
    public String toString() {
        return "job " + job.invocation();
    }
}
