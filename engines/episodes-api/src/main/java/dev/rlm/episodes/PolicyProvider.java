package dev.rlm.episodes;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes policies of one kind, for {@code --policy}. One is used by several threads. */
public interface PolicyProvider extends Provider {
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
     * Returns the version of the policies, such as that of their weights: the agent's in every run of the job, and the
     * policy's where the user names none; {@code null} where it has none. Asked once, when it is open.
     */
    default @Nullable String version() {
        return null;
    }

    /** Returns what is to be known of every run of the job, for its parameters. */
    default Map<String, Object> params() {
        return Map.of();
    }

    /**
     * Returns values to keep secret, such as a key: they are redacted in all that is recorded. Asked once, when it is
     * open.
     */
    default Collection<String> secrets() {
        return List.of();
    }
}
