package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.schema.GroupKey;
import dev.rlm.sinks.schema.RolloutKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Figures of a job as {@code rlm report} would give them for the episodes so far: of each rollout the last attempt counts, and
 * late rewards do. On the lane only.
 *
 * <p>The last 50,000 episodes, rollouts and groups are known one by one; what comes for an older one, a late reward or a
 * further attempt, changes nothing of it any more.
 */
final class JobFigures {
    private static final int REMEMBERED = 50_000;
    private static final int MAX_PARTS = 100; // of models, and of splits
    private static final int SHARE = 50; // figures are due when a fiftieth more is to be told

    private final Map<String, ScoredEpisode> episodes = new Remembered<>(); // by run id
    private final Map<RolloutKey, Rollout> rollouts = new Remembered<>();
    private final Map<GroupKey, FigureGroup> groups = new Remembered<>();
    private final FigureSums all = new FigureSums();
    private final Map<String, FigureSums> models = new LinkedHashMap<>();
    private final Map<String, FigureSums> splits = new LinkedHashMap<>();
    private long ended;
    private long changes;
    private long due = 1;
    private long time;
    private long toldAt;

    /** A run begins: earlier attempts at its rollout count no more. */
    void started(RunInfo run) {
        RolloutKey.of(run).ifPresent(key -> rollout(key).tried(RolloutKey.attempt(run)));
    }

    private Rollout rollout(RolloutKey key) {
        return rollouts.computeIfAbsent(key, unknown -> new Rollout());
    }

    /** A run has ended. That it did is news once. */
    void ended(RunEnded end) {
        RunInfo run = end.run();
        if (episodes.containsKey(run.runId())) {
            return;
        }
        FigureGroup group = groups.computeIfAbsent(GroupKey.of(run), key -> new FigureGroup());
        ScoredEpisode episode = new ScoredEpisode(end, group, sums(run));
        episodes.put(run.runId(), episode);
        ended++;
        changed(end.time().toEpochMilli());
        RolloutKey.of(run).ifPresentOrElse(key -> rollout(key).ended(RolloutKey.attempt(run), episode), episode::enter);
    }

    private List<FigureSums> sums(RunInfo run) {
        List<FigureSums> sums = new ArrayList<>(List.of(all));
        add(sums, models, run.model());
        add(sums, splits, run.correlation().split());
        return sums;
    }

    private static void add(List<FigureSums> sums, Map<String, FigureSums> parts, @Nullable String name) {
        if (name != null && !name.isEmpty() && (parts.size() < MAX_PARTS || parts.containsKey(name))) {
            sums.add(parts.computeIfAbsent(name, part -> new FigureSums()));
        }
    }

    /** A reward came after its run's end. */
    void rewarded(RewardGiven reward) {
        ScoredEpisode episode = episodes.get(reward.run().runId());
        if (episode != null) {
            episode.rewarded(reward);
            changed(reward.time().toEpochMilli());
        }
    }

    private void changed(long at) {
        changes++;
        time = Math.max(time, at);
    }

    /**
     * Returns whether enough has changed to tell the figures: a fiftieth more changes than when they were last told.
     */
    boolean isDue() {
        return changes >= due;
    }

    /** Returns the figures that have changed since the last call; empty if no counted episode has. */
    Optional<Told> tell() {
        due = changes + Math.max(1, changes / SHARE);
        if (!all.isChanged()) {
            return Optional.empty();
        }
        Map<String, JobMetrics> parts = new LinkedHashMap<>(Map.of("", all.metrics()));
        Map<String, JobMetrics> onlyParts = new LinkedHashMap<>();
        all.told();
        tell(models, "", models.size() > 1 ? parts : onlyParts);
        tell(splits, "split/", splits.size() > 1 ? parts : onlyParts);
        toldAt = Math.max(time, toldAt + 1); // of two points at one step the later is the last
        return Optional.of(new Told(ended, toldAt, parts, onlyParts));
    }

    private static void tell(Map<String, FigureSums> sums, String prefix, Map<String, JobMetrics> parts) {
        sums.forEach((name, each) -> {
            if (each.isChanged()) {
                parts.put(prefix + name, each.metrics());
            }
            if (sums.size() > 1) {
                each.told();
            }
        });
    }

    /**
     * Figures at one moment.
     *
     * @param ended how many runs had ended, those that do not count included
     * @param timestamp milliseconds since the epoch
     * @param parts the job's by the empty name, those of its models and splits by theirs where there are several
     * @param onlyParts those of the only model and the only split: an earlier process may have had others
     */
    record Told(long ended, long timestamp, Map<String, JobMetrics> parts, Map<String, JobMetrics> onlyParts) {}

    /** Attempts at one rollout. */
    private static final class Rollout {
        private final List<ScoredEpisode> last = new ArrayList<>(1);
        private int attempt;

        void tried(int number) {
            if (number > attempt) {
                attempt = number;
                last.forEach(ScoredEpisode::leave);
                last.clear();
            }
        }

        void ended(int number, ScoredEpisode episode) {
            tried(number);
            if (number == attempt) {
                last.add(episode);
                episode.enter();
            }
        }
    }

    /** Map of the 50,000 entries that were added last. */
    private static final class Remembered<K, V> extends LinkedHashMap<K, V> {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > REMEMBERED;
        }
    }
}
