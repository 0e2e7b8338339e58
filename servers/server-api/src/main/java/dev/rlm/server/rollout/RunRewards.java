package dev.rlm.server.rollout;

import dev.rlm.server.http.RefusedException;

/** Way to give rewards to runs that another part of this process records. Called by several threads. */
@FunctionalInterface
public interface RunRewards {
    /**
     * Gives a reward to a run.
     *
     * @return whether it is recorded here; if not, nothing was done
     * @throws RefusedException if the run takes none; the message says why
     */
    boolean give(String runId, String source, double value) throws RefusedException;
}
