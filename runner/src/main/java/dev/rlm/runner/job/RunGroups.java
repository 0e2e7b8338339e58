package dev.rlm.runner.job;

import dev.rlm.episodes.Role;
import dev.rlm.runner.episode.EpisodeResult;
import dev.rlm.runner.episode.Standing;
import dev.rlm.sinks.schema.statistics.Group;
import dev.rlm.sinks.schema.statistics.Groups;
import java.util.List;

/** The groups of a job: the completed and failed runs of each sample by each model. */
final class RunGroups {
    private RunGroups() {}

    /** Of roles and how the rollout of each stands, in the same order. */
    static Groups<Name> of(List<Role> roles, List<Standing> standings) {
        Groups<Name> groups = new Groups<>(Name::sample);
        for (int i = 0; i < roles.size(); i++) {
            EpisodeResult result = standings.get(i).last();
            if (result != null && result.outcome().isOwnEnd()) {
                Group group = groups.get(new Name(roles.get(i).sample().id(), result.model()));
                if (!result.undecided()) {
                    group.add(result.solved());
                }
                if (result.hasUsableReward()) {
                    group.add(result.totalReward());
                }
            }
        }
        return groups;
    }

    /** What names a group. */
    record Name(String sample, String model) {}
}
