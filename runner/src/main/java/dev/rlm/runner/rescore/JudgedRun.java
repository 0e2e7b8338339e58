package dev.rlm.runner.rescore;

import dev.rlm.cli.recorded.TokenTurn;
import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Observation;
import dev.rlm.episodes.RewardNeed;
import dev.rlm.episodes.Trajectory;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A recorded run as reward functions see it.
 *
 * @param events those that were read of it
 * @param trajectory what it did; {@code null} where the record lacks something
 * @param lack what that is; {@code null} where nothing is lacking
 */
record JudgedRun(
        RunSummary summary,
        List<RunEvent> events,
        @Nullable Trajectory trajectory,
        @Nullable String lack) {
    /** Returns the kinds of events that tell it. */
    static Set<Class<? extends RunEvent>> kinds(Set<RewardNeed> needs) {
        Set<Class<? extends RunEvent>> kinds = new HashSet<>(List.of(RunEnded.class, RewardGiven.class));
        if (needs.contains(RewardNeed.STEPS)) {
            kinds.addAll(List.of(StepEnded.class, ToolCalled.class));
        }
        if (needs.contains(RewardNeed.TOKENS)) {
            kinds.addAll(List.of(ModelCalled.class, SpanRecorded.class));
        }
        return kinds;
    }

    /** Makes it of events. */
    static JudgedRun of(RunSummary summary, List<RunEvent> events, Set<RewardNeed> needs) {
        RunEnded end = events.stream()
                .filter(RunEnded.class::isInstance)
                .map(RunEnded.class::cast)
                .findFirst()
                .orElse(null);
        if (end == null) {
            return new JudgedRun(summary, events, null, "its end cannot be read");
        }
        List<StepEnded> steps = events.stream()
                .filter(StepEnded.class::isInstance)
                .map(StepEnded.class::cast)
                .filter(step -> step.parentStep() == RunEvent.NO_STEP)
                .toList();
        String lack = lack(end, needs);
        lack = lack != null || !needs.contains(RewardNeed.STEPS) ? lack : lack(summary, steps);
        List<TokenTurn> turns = needs.contains(RewardNeed.TOKENS) ? TokenTurn.of(events) : List.of();
        lack = lack != null || !needs.contains(RewardNeed.TOKENS) ? lack : lack(turns);
        return new JudgedRun(summary, events, lack == null ? trajectory(end, steps, events, turns) : null, lack);
    }

    private static @Nullable String lack(RunEnded end, Set<RewardNeed> needs) {
        Content truth = end.run().expectedAnswer();
        Content answer = end.finalAnswer();
        if (needs.contains(RewardNeed.TRUTH) && truth == null) {
            return "it has no true answer";
        } else if (needs.contains(RewardNeed.TRUTH) && truth != null && truth.isAltered()) {
            return "its true answer was redacted or cut";
        } else if (needs.contains(RewardNeed.ANSWER) && answer == null && !end.truncated()) {
            return "it has no answer";
        } else if (needs.contains(RewardNeed.ANSWER) && answer != null && answer.isAltered()) {
            return "its answer was redacted or cut";
        } else if (needs.contains(RewardNeed.ANSWER) && end.run().task().isAltered()) {
            return "its task was redacted or cut";
        }
        return null;
    }

    private static @Nullable String lack(RunSummary summary, List<StepEnded> steps) {
        if (summary.isIncomplete()) {
            return "the journal lacks events of it";
        }
        boolean cut = steps.stream()
                .flatMap(step ->
                        Stream.of(step.code(), step.output(), step.error() == null ? Content.EMPTY : step.error()))
                .anyMatch(Content::isCut);
        return cut ? "texts of its steps were cut" : null;
    }

    private static @Nullable String lack(List<TokenTurn> turns) {
        boolean missing = turns.stream().anyMatch(turn -> turn.flaws().contains(TokenTurn.Flaw.NO_IDS));
        return turns.isEmpty() ? "it has no model calls" : missing ? "token ids of its model calls are missing" : null;
    }

    private static Trajectory trajectory(
            RunEnded end, List<StepEnded> steps, List<RunEvent> events, List<TokenTurn> turns) {
        Map<Integer, Integer> toolCalls = new HashMap<>();
        events.stream()
                .filter(ToolCalled.class::isInstance)
                .forEach(call -> toolCalls.merge(call.step(), 1, Integer::sum));
        List<List<Observation.Done>> done = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            StepEnded step = steps.get(i);
            boolean isLast = i == steps.size() - 1 && !end.truncated();
            Answer answer = new Answer(
                    step.output().text(),
                    step.error() == null ? null : step.error().text(),
                    null,
                    toolCalls.getOrDefault(step.step(), 0),
                    isLast);
            done.add(List.of(new Observation.Done(
                    new Action(step.actionType(), step.code().text()), answer)));
        }
        Content answer = end.finalAnswer();
        return new Trajectory(
                RecordedSample.of(end.run()),
                done,
                end.run().maxSteps(),
                answer == null ? null : answer.text(),
                turns.stream().map(TokenTurn::tokens).toList());
    }

    /** Returns what is known of it from its start on. */
    RunInfo run() {
        return events.get(0).run();
    }
}
