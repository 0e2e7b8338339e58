package dev.rlm.cli.recorded;

import dev.rlm.journal.index.EventRow;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.schema.RewardVersion;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** Second opinions of a run by name and version. */
public final class Scores {
    private Scores() {}

    /** Returns those in the rows of a run's events, by number; of several of one version the last one counts. */
    public static Map<RewardVersion, EventRow.Reward> of(Collection<EventRow> rows) {
        Map<RewardVersion, EventRow.Reward> scores = new LinkedHashMap<>();
        for (EventRow row : rows) {
            RewardVersion version = row instanceof EventRow.Reward reward ? RewardVersion.of(reward.source()) : null;
            if (version != null) {
                scores.put(version, (EventRow.Reward) row);
            }
        }
        return scores;
    }

    /** Returns one that is known as it was given, without its label and explanation. */
    public static Reward reward(EventRow.Reward known) {
        return Reward.of(known.value())
                .components(known.components())
                .kind(known.kind())
                .build();
    }
}
