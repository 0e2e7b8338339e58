package dev.rlm.engine.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Record of a job, as a journal has it.
 *
 * @param runs of all attempts
 * @param accepted the spans of episodes
 */
record JobRecord(List<RunSummary> runs, List<StandaloneSpanRecorded> accepted) {
    static JobRecord of(Path folder) {
        Journal journal = Journal.open(folder);
        return new JobRecord(
                journal.runs(),
                journal.spans().stream()
                        .filter(span -> span.name().equals("rlm.episode"))
                        .toList());
    }

    private static String place(RunSummary run) {
        Correlation ids = run.run().correlation();
        return ids.row() + "/" + ids.trajectoryIndex();
    }

    static @Nullable Outcome outcome(RunSummary run) {
        return run.row().end() == null ? null : run.row().end().outcome();
    }

    private Map<String, List<RunSummary>> attempts() {
        return runs.stream().collect(Collectors.groupingBy(JobRecord::place, TreeMap::new, Collectors.toList()));
    }

    long ended(Outcome outcome) {
        return runs.stream().filter(run -> outcome(run) == outcome).count();
    }

    /** Returns the accepted attempt by the place of each rollout: the last that has ended by itself. */
    private Map<String, RunSummary> last() {
        Map<String, RunSummary> last = new TreeMap<>();
        attempts()
                .forEach((place, attempts) -> attempts.stream()
                        .filter(run -> outcome(run) != Outcome.ABANDONED)
                        .max(Comparator.comparing(run -> run.run().correlation().attempt()))
                        .ifPresent(run -> last.put(place, run)));
        return last;
    }

    /** Returns by the place of each rollout what its accepted attempt came to. */
    Map<String, String> results() {
        Map<String, String> results = new TreeMap<>();
        last().forEach((place, run) ->
                results.put(place, outcome(run) + " " + run.steps() + " " + run.totalReward() + " " + run.isSolved()));
        return results;
    }

    /** Asserts that all came to the same as where they ran in one process, each once. */
    void hasResultsOf(JobRecord embedded) {
        assertThat(results()).isEqualTo(embedded.results());
        assertThat(accepted).hasSize(embedded.results().size());
        assertThat(accepted.stream().map(span -> span.attributes().get("rlm.episode.run_id")))
                .containsExactlyInAnyOrderElementsOf(
                        last().values().stream().map(RunSummary::runId).toList());
        everyRunIsInTheTraceOfItsEpisode();
        assertThat(runs)
                .allSatisfy(run ->
                        assertThat(run.row().end()).as("end of %s", run.runId()).isNotNull());
    }

    /** Asserts that the attempts at an episode share a trace. */
    void everyRunIsInTheTraceOfItsEpisode() {
        Map<String, String> traces = accepted.stream()
                .collect(Collectors.toMap(
                        span -> (String) span.attributes().get("rlm.episode.run_id"),
                        span -> "00-" + span.traceId() + "-" + span.spanId() + "-01"));
        attempts().forEach((place, attempts) -> {
            List<String> parents = attempts.stream()
                    .map(run -> Objects.requireNonNull(run.run().parent()).traceparent())
                    .distinct()
                    .toList();
            assertThat(parents).as("trace of the attempts at %s", place).hasSize(1);
            assertThat(attempts.stream().map(run -> traces.get(run.runId()))).contains(parents.get(0));
        });
    }
}
