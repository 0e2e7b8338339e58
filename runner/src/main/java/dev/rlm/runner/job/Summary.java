package dev.rlm.runner.job;

import dev.rlm.cli.RecordPlaces;
import dev.rlm.engine.AttemptHistory;
import dev.rlm.engine.EpisodeResult;
import dev.rlm.episodes.Role;
import dev.rlm.runner.episode.Job;
import dev.rlm.runner.replay.ReplaySummary;
import dev.rlm.sinks.RedactionCounts;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.RunFigures;
import dev.rlm.sinks.schema.statistics.Groups;
import dev.rlm.sinks.schema.statistics.MessageGroups;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Results of a job. Of each rollout the last attempt counts.
 *
 * @param all the figures of all models together
 * @param models the figures of each model, in the order in which they first came
 * @param failures why runs failed, redacted
 * @param groups the runs of each sample by each model
 * @param extent the size of the job and of its parts
 * @param badLines how many lines of the data set were passed over
 * @param firstRun the id of the first run of this part of the job; {@code null} where none was started
 * @param locations where that run is to be found
 * @param sinks how each sink stood when all had been closed
 * @param redactions what was redacted, and what could not be
 * @param replays what replays came to; {@code null} where the job has none
 */
record Summary(
        RunFigures all,
        Map<String, RunFigures> models,
        MessageGroups failures,
        Groups<Group> groups,
        Extent extent,
        int badLines,
        @Nullable String firstRun,
        Collection<URI> locations,
        List<SinkStatus> sinks,
        RedactionCounts redactions,
        @Nullable ReplaySummary replays) {
    /** The figures of all results. */
    static RunFigures figures(List<EpisodeResult> results) {
        return RunFigures.of(results.stream().map(EpisodeResult::counted).toList());
    }

    /** The figures of each model. */
    static Map<String, RunFigures> models(List<EpisodeResult> results) {
        Map<String, RunFigures> models = new LinkedHashMap<>();
        results.forEach(result -> models.computeIfAbsent(result.model(), model -> new RunFigures())
                .add(result.counted()));
        return models;
    }

    /** The groups of roles, of which it is told how the rollout of each stands, in the same order. */
    static Groups<Group> groups(List<Role> roles, List<AttemptHistory> histories) {
        Groups<Group> groups = new Groups<>(Group::sample);
        for (int i = 0; i < roles.size(); i++) {
            EpisodeResult result = histories.get(i).last();
            if (result != null) {
                result.counted().addTo(groups, new Group(roles.get(i).sample().id(), result.model()));
            }
        }
        return groups;
    }

    /**
     * Counts why runs failed.
     *
     * @param redaction takes secrets out of a text
     */
    static MessageGroups failures(List<EpisodeResult> results, UnaryOperator<String> redaction) {
        MessageGroups failures = new MessageGroups();
        results.stream()
                .filter(result -> result.outcome() == Outcome.FAILED)
                .forEach(result -> failures.add(redaction.apply(Objects.requireNonNullElse(result.error(), ""))));
        return failures;
    }

    /** Returns whether there were runs, and all of them failed. */
    boolean hasFailed() {
        return all.runs() > 0 && all.ended(Outcome.FAILED) == all.runs();
    }

    /** The file that has the first run. */
    Optional<Path> journal() {
        return RecordPlaces.among(locations).findFirst();
    }

    /** The pages that show the first run. */
    List<URI> pages() {
        return locations.stream()
                .filter(location -> List.of("http", "https").contains(String.valueOf(location.getScheme())))
                .toList();
    }

    /** The name of a group: the runs of a sample by a model. */
    record Group(String sample, String model) {}

    /**
     * Size of a job and of its parts.
     *
     * @param invocation the job's id
     * @param size how many rollouts there are
     * @param resumed how many of them were over before, where the job was resumed
     * @param retried how many were tried again after a failure
     * @param notStarted how many were not begun
     * @param leftBehind how many runs had ended but did not stop their work
     */
    record Extent(String invocation, int size, @Nullable Integer resumed, int retried, int notStarted, int leftBehind) {
        static Extent of(String invocation, Job job, @Nullable Integer resumed) {
            List<AttemptHistory> histories = job.histories();
            return new Extent(
                    invocation,
                    job.size(),
                    resumed,
                    (int) histories.stream().filter(AttemptHistory::wasRetried).count(),
                    (int) histories.stream()
                            .map(AttemptHistory::last)
                            .filter(Objects::isNull)
                            .count(),
                    job.leftBehind());
        }
    }
}
