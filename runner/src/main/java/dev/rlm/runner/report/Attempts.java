package dev.rlm.runner.report;

import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.jsonl.RunSummary;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Tells which runs were tried again: of the attempts at one rollout the last one counts. */
final class Attempts {
    private Attempts() {}

    /** The ids of the runs of which there is a later attempt. Runs that do not tell their attempt are none of them. */
    static Set<String> superseded(Collection<RunSummary> runs) {
        Map<List<@Nullable Object>, Integer> last = new HashMap<>();
        runs.stream()
                .map(RunSummary::run)
                .filter(Attempts::isAttempt)
                .forEach(run -> last.merge(rollout(run), attempt(run), Math::max));
        return runs.stream()
                .map(RunSummary::run)
                .filter(run -> isAttempt(run) && attempt(run) < last.getOrDefault(rollout(run), 0))
                .map(RunInfo::runId)
                .collect(Collectors.toSet());
    }

    private static boolean isAttempt(RunInfo run) {
        return run.correlation().rollout() != null && run.correlation().attempt() != null;
    }

    private static int attempt(RunInfo run) {
        Integer attempt = run.correlation().attempt();
        return attempt == null ? 1 : attempt;
    }

    /** Rollout ids may come again in another job, epoch or step, and those are other rollouts. */
    private static List<@Nullable Object> rollout(RunInfo run) {
        Correlation ids = run.correlation();
        return Arrays.asList(
                ids.rollout(),
                ids.experiment(),
                ids.trainerRun(),
                ids.invocation(),
                ids.epoch(),
                ids.trainStep(),
                ids.split(),
                ids.sample(),
                run.environment(),
                run.model());
    }
}
