package dev.rlm.runner.episode;

import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Source of a job's rollouts: a plan, the requests to a server, a queue. The job's threads ask it, several at once; each waits in
 * it for its next rollout.
 */
@FunctionalInterface
public interface RolloutSource {
    /**
     * Returns the next rollout once there is one, each once; {@code null} where there will be none any more.
     *
     * @throws InterruptedException if the job is stopped meanwhile
     */
    @Nullable
    Rollout next() throws InterruptedException;

    /** Returns all rollouts, where they are known before the first one begins; otherwise none. */
    default List<Rollout> known() {
        return List.of();
    }

    /** Returns a source of these rollouts, in their order. */
    static RolloutSource of(List<Rollout> rollouts) {
        List<Rollout> all = List.copyOf(rollouts);
        Iterator<Rollout> left = all.iterator();
        return new RolloutSource() {
            @Override
            public synchronized @Nullable Rollout next() {
                return left.hasNext() ? left.next() : null;
            }

            @Override
            public List<Rollout> known() {
                return all;
            }
        };
    }
}
