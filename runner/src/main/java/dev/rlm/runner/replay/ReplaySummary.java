package dev.rlm.runner.replay;

import dev.rlm.sinks.schema.statistics.PairedDifference;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Results of the replays of a job.
 *
 * @param runs how many have ended
 * @param partial how many of them are of a part of their run
 * @param divergences the first of each replay that is not as its run was
 * @param missing why a run was not replayed, by its id
 * @param rewards by other functions than in the record; {@code null} where none were
 */
public record ReplaySummary(
        int runs,
        int partial,
        List<Divergence> divergences,
        Map<String, String> missing,
        @Nullable RewardDifference rewards) {
    static ReplaySummary of(List<RunReplay> replays, Map<String, String> missing) {
        List<RunReplay.RewardPair> pairs = replays.stream()
                .map(RunReplay::rewards)
                .filter(pair -> !Double.isNaN(pair.recorded()))
                .toList();
        return new ReplaySummary(
                replays.size(),
                (int) replays.stream()
                        .filter(replay -> replay.run().gap() != null)
                        .count(),
                replays.stream()
                        .map(RunReplay::divergence)
                        .filter(Objects::nonNull)
                        .toList(),
                Collections.unmodifiableMap(new LinkedHashMap<>(missing)),
                pairs.isEmpty() ? null : RewardDifference.of(pairs));
    }

    /**
     * Rewards of runs and of their replays, in pairs.
     *
     * @param means of the replays, here, and of the record, there
     * @param higher how many replays have more than their runs
     * @param lower how many have less
     */
    public record RewardDifference(PairedDifference means, long higher, long lower) {
        private static RewardDifference of(List<RunReplay.RewardPair> pairs) {
            return new RewardDifference(
                    PairedDifference.of(
                            pairs.stream()
                                    .mapToDouble(RunReplay.RewardPair::now)
                                    .toArray(),
                            pairs.stream()
                                    .mapToDouble(RunReplay.RewardPair::recorded)
                                    .toArray()),
                    pairs.stream().filter(pair -> pair.now() > pair.recorded()).count(),
                    pairs.stream().filter(pair -> pair.now() < pair.recorded()).count());
        }
    }
}
