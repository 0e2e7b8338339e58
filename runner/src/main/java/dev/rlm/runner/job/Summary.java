package dev.rlm.runner.job;

import dev.rlm.cli.RecordPlaces;
import dev.rlm.runner.episode.EpisodeResult;
import dev.rlm.runner.episode.Job;
import dev.rlm.runner.episode.Standing;
import dev.rlm.sinks.RedactionCounts;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.event.Outcome;
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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a job came to. Of each rollout the last attempt counts.
 *
 * @param all the figures of all models together
 * @param models the figures of each model, in the order in which they first came
 * @param failures why runs failed, redacted
 * @param groups the runs of each sample by each model
 * @param extent how much there was to do, and what of it was done
 * @param badLines how many lines of the data set were passed over
 * @param firstRun the id of the first run of this part of the job; {@code null} where none was started
 * @param locations where that run is to be found
 * @param sinks how each sink stood when all had been closed
 * @param redactions what was redacted, and what could not be
 */
record Summary(
        Figures all,
        Map<String, Figures> models,
        MessageGroups failures,
        Groups<RunGroups.Name> groups,
        Extent extent,
        int badLines,
        @Nullable String firstRun,
        Collection<URI> locations,
        List<SinkStatus> sinks,
        RedactionCounts redactions) {
    /** The figures of each model. */
    static Map<String, Figures> models(List<EpisodeResult> results) {
        Map<String, Figures> models = new LinkedHashMap<>();
        results.stream()
                .collect(Collectors.groupingBy(EpisodeResult::model, LinkedHashMap::new, Collectors.toList()))
                .forEach((model, own) -> models.put(model, Figures.of(own)));
        return models;
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
        return all.failed() > 0 && all.failed() == all.runs();
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

    /**
     * How much there was to do.
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
            List<Standing> standings = job.standings();
            return new Extent(
                    invocation,
                    job.size(),
                    resumed,
                    (int) standings.stream().filter(Standing::wasRetried).count(),
                    (int) standings.stream()
                            .map(Standing::last)
                            .filter(Objects::isNull)
                            .count(),
                    job.leftBehind());
        }
    }
}
