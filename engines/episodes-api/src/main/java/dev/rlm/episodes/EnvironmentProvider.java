package dev.rlm.episodes;

import java.util.Map;

/** Makes environments of one kind, for {@code --env}. One is used by several threads. */
public interface EnvironmentProvider extends Provider {
    /**
     * The samples of a job.
     *
     * @throws SetupException if there are none
     */
    Samples samples(SampleRequest request) throws SetupException;

    /** An environment for one run of a sample, on the run's thread. An exception fails the run. */
    Environment create(Sample sample) throws Exception;

    /** Returns what is to be known of every run of the job, for its parameters. */
    default Map<String, Object> params() {
        return Map.of();
    }
}
