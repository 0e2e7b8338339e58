package dev.rlm.runner.cli;

import dev.rlm.runner.episode.EpisodeResult;
import dev.rlm.runner.journal.RecordPlaces;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.redaction.RedactionCounts;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a job came to.
 *
 * @param models the figures of each model, in the order in which they first came
 * @param leftBehind how many runs had ended but did not stop their work
 * @param badLines how many lines of the data set were passed over
 * @param firstRun the id of the first run; {@code null} where none was started
 * @param locations where that run is to be found
 * @param sinks how each sink stood when all had been closed
 * @param redactions what was redacted, and what could not be
 */
record Summary(
        Figures all,
        Map<String, Figures> models,
        int leftBehind,
        int badLines,
        @Nullable String firstRun,
        Collection<URI> locations,
        List<SinkStatus> sinks,
        RedactionCounts redactions) {
    static Summary of(
            List<EpisodeResult> results,
            int leftBehind,
            int badLines,
            Collection<URI> locations,
            List<SinkStatus> sinks,
            RedactionCounts redactions) {
        Map<String, Figures> models = new LinkedHashMap<>();
        results.stream()
                .collect(Collectors.groupingBy(EpisodeResult::model, LinkedHashMap::new, Collectors.toList()))
                .forEach((model, own) -> models.put(model, Figures.of(own)));
        String firstRun = results.isEmpty() ? null : results.get(0).runId();
        return new Summary(Figures.of(results), models, leftBehind, badLines, firstRun, locations, sinks, redactions);
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
}
