package dev.rlm.sinks.schema;

import dev.rlm.sinks.event.RunInfo;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Last attempts at rollouts, by which is told which runs are superseded by a later one. */
public final class LastAttempts {
    private final Map<RolloutKey, Integer> last = new HashMap<>(); // where it is not the first
    private final Set<String> rollouts = new HashSet<>(); // of these: most runs are of none, which is told faster so

    /** Takes note of a run's attempt; first attempts supersede nothing. */
    public void add(RunInfo run) {
        int attempt = RolloutKey.attempt(run);
        if (attempt > 1) {
            RolloutKey.of(run).ifPresent(key -> {
                last.merge(key, attempt, Math::max);
                rollouts.add(key.rollout());
            });
        }
    }

    /** Returns whether there is a later attempt at the run's rollout; {@code false} where the run does not tell its attempt. */
    public boolean isSuperseded(RunInfo run) {
        return rollouts.contains(run.correlation().rollout())
                && RolloutKey.of(run)
                        .filter(key -> RolloutKey.attempt(run) < last.getOrDefault(key, 0))
                        .isPresent();
    }

    /** Returns whether no run is superseded. */
    public boolean isEmpty() {
        return last.isEmpty();
    }
}
