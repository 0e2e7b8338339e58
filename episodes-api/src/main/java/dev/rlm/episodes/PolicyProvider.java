package dev.rlm.episodes;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes policies of one kind. Found by {@link java.util.ServiceLoader}; one is used for a whole job, by several
 * threads.
 */
public interface PolicyProvider extends AutoCloseable {
    /** What it is chosen by ({@code --policy}): small letters, digits and hyphens. */
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
     * The models that act on a sample, each in a group of runs of its own.
     *
     * @throws SetupException if it cannot act on such a sample
     */
    default List<String> models(Sample sample) throws SetupException {
        return List.of(name());
    }

    /** A policy for one run, on the run's thread. An exception fails the run. */
    Policy create(Role role, Briefing briefing) throws Exception;

    /**
     * Returns the version of what acts, such as that of its weights: the agent's in every run of the job, and the policy's where the
     * user names none; {@code null} where it has none. Asked once, when it is open.
     */
    default @Nullable String version() {
        return null;
    }

    /** What is to be known of every run of the job, for its parameters. */
    default Map<String, Object> params() {
        return Map.of();
    }

    /**
     * Values that nobody may see, such as a key: they count as secrets in all that is recorded. Asked once, when it
     * is open.
     */
    default Collection<String> secrets() {
        return List.of();
    }

    /** The job is over. */
    @Override
    default void close() {}
}
