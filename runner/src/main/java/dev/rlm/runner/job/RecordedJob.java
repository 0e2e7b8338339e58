package dev.rlm.runner.job;

import dev.rlm.engine.AttemptHistory;
import dev.rlm.engine.EpisodeResult;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.RecordSchema;
import dev.rlm.sinks.schema.RolloutKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A job of which a journal has runs.
 *
 * @param invocation its id; callers may give several the same
 * @param plan what tells its plan from others
 * @param runs one at least
 */
record RecordedJob(String invocation, Object plan, List<RunSummary> runs) {
    /** Ids that say nothing of the plan: those of one run, or of one invocation. */
    private static final Set<String> OF_ONE_RUN = Set.of(
            "invocation_id",
            "rollout_id",
            "sample_id",
            "row_id",
            "trajectory_index",
            "attempt",
            "parent_run_id",
            "job_span");

    /** Returns whether a process that has recorded runs of it lives, or is being recovered at this moment. */
    boolean isHeld() {
        return runs.stream().anyMatch(RunSummary::isWriterHeld);
    }

    /** Returns the attempts of each rollout that has a run. */
    Map<RolloutPlace, AttemptHistory> histories() {
        Map<RolloutPlace, AttemptHistory> histories = new HashMap<>();
        runs.stream().sorted(Comparator.comparingInt(RecordedJob::attempt)).forEach(run -> {
            RolloutPlace place = RolloutPlace.of(run.row().run().correlation());
            if (place != null) {
                histories.put(
                        place, histories.getOrDefault(place, AttemptHistory.NEW).after(attempt(run), result(run)));
            }
        });
        return histories;
    }

    private static int attempt(RunSummary run) {
        return RolloutKey.attempt(run.row().run());
    }

    private static EpisodeResult result(RunSummary run) {
        RunEnded end = run.row().end();
        return new EpisodeResult(
                run.runId(),
                run.row().run().model(),
                end == null ? Outcome.ABANDONED : end.outcome(),
                end == null ? null : run.verdict().solved(),
                run.steps(),
                run.toolCalls(),
                run.totalReward(),
                run.rewards().absent() > 0,
                Objects.requireNonNullElse(run.duration(), Duration.ZERO),
                null,
                end == null ? null : end.status().message());
    }

    /** In what its runs differ from those of another plan, as far as they tell; one phrase each. */
    List<String> differences(RunSpec planned) {
        RunInfo first = runs.get(0).run();
        Map<String, String> tags = new HashMap<>(first.tags());
        tags.remove("redaction"); // which is the program's own
        Map<String, Object> there =
                facts(first.environment(), first.maxSteps(), first.seed(), first.params(), tags, first.correlation());
        Map<String, Object> here = facts(
                planned.environment(),
                planned.maxSteps(),
                planned.seed(),
                planned.params(),
                planned.tags(),
                planned.correlation());
        Set<String> names = new TreeSet<>(there.keySet());
        names.addAll(here.keySet());
        List<String> differences = new ArrayList<>();
        for (String name : names) {
            String then = String.valueOf(there.getOrDefault(name, "none"));
            String now = String.valueOf(here.getOrDefault(name, "none"));
            if (!then.equals(now)) {
                differences.add(name + " was " + then + " and is " + now);
            }
        }
        return differences;
    }

    private static Map<String, Object> facts(
            String environment,
            int maxSteps,
            @Nullable Long seed,
            Map<String, Object> params,
            Map<String, String> tags,
            Correlation ids) {
        Map<String, Object> facts = new HashMap<>(params);
        facts.remove(Resumption.PLAN);
        tags.forEach((name, value) -> facts.put("tag " + name, value));
        facts.put("environment", environment);
        facts.put("max_steps", maxSteps);
        facts.put("seed", seed);
        for (EventField field : RecordSchema.of(Correlation.class).fields()) {
            if (!OF_ONE_RUN.contains(field.name())) {
                facts.put(field.name().replaceFirst("_id$", ""), field.get(ids));
            }
        }
        facts.values().removeIf(Objects::isNull);
        return facts;
    }
}
