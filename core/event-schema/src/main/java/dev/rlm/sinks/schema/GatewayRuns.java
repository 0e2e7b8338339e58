package dev.rlm.sinks.schema;

import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * Runs in which a gateway records the calls of a rollout. Where the run that makes these calls is recorded in the same journal, they
 * are a part of it, and no figure counts them.
 */
public final class GatewayRuns {
    /** Environment of such runs. */
    public static final String ENVIRONMENT = "gateway";

    private GatewayRuns() {}

    /** Returns the id of the run that makes the calls of a run; {@code null} if that is not told, or no gateway records them. */
    public static @Nullable String caller(RunInfo run) {
        return run.environment().equals(ENVIRONMENT) ? run.correlation().parentRun() : null;
    }

    /** Returns whether a run is a part of its caller, as that tells by itself: both are of the same rollout. */
    public static boolean isPart(RunInfo run) {
        String rollout = run.correlation().rollout();
        return rollout != null
                && caller(run) != null
                && run.parent() != null
                && run.parent()
                        .baggageEntry(TraceContext.ROLLOUT_ID)
                        .filter(rollout::equals)
                        .isPresent();
    }

    /** Returns whether a run is a part of its caller: both are of the same rollout. */
    public static boolean isPart(RunInfo run, RunInfo caller) {
        String rollout = run.correlation().rollout();
        return rollout != null
                && caller.runId().equals(caller(run))
                && rollout.equals(caller.correlation().rollout());
    }
}
