package dev.rlm.journal.report;

import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.jsonl.RunSummary;
import dev.rlm.sinks.schema.RolloutKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Tells which runs were tried again: of the attempts at one rollout the last one counts. */
final class Attempts {
    private Attempts() {}

    /** The ids of the runs of which there is a later attempt. Runs that do not tell their attempt are none of them. */
    static Set<String> superseded(Collection<RunSummary> runs) {
        Map<RolloutKey, Integer> last = new HashMap<>();
        runs.forEach(run -> RolloutKey.of(run.run()).ifPresent(key -> last.merge(key, attempt(run.run()), Math::max)));
        return runs.stream()
                .map(RunSummary::run)
                .filter(run -> RolloutKey.of(run)
                        .filter(key -> attempt(run) < last.getOrDefault(key, 0))
                        .isPresent())
                .map(RunInfo::runId)
                .collect(Collectors.toSet());
    }

    private static int attempt(RunInfo run) {
        Integer attempt = run.correlation().attempt();
        return attempt == null ? 1 : attempt;
    }
}
