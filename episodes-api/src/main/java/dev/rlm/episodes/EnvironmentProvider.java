package dev.rlm.episodes;

import java.util.Map;

/**
 * Makes environments of one kind. Found by {@link java.util.ServiceLoader}; one is used for a whole job, by several threads.
 */
public interface EnvironmentProvider extends AutoCloseable {
    /** What it is chosen by ({@code --env}): small letters, digits and hyphens. */
    String name();

    /**
     * Is told, before anything else and once, what the user has set for it ({@code --set NAME.KEY=VALUE}, without
     * {@code NAME.}).
     *
     * @throws SetupException if it knows no such setting, or not the value, or cannot work here
     */
    default void open(Map<String, String> settings) throws SetupException {
        PluginSettings.expectNone(name(), settings);
    }

    /**
     * The samples of a job.
     *
     * @throws SetupException if there are none
     */
    Samples samples(SampleRequest request) throws SetupException;

    /** An environment for one run of a sample, on the run's thread. An exception fails the run. */
    Environment create(Sample sample) throws Exception;

    /** What is to be known of every run of the job, for its parameters. */
    default Map<String, Object> params() {
        return Map.of();
    }

    /** The job is over. */
    @Override
    default void close() {}
}
