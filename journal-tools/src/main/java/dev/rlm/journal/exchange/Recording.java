package dev.rlm.journal.exchange;

import dev.rlm.sinks.RunSpec.PassOn;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.ToolCalledBuilder;
import dev.rlm.sinks.schema.RewardTotals;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The events of a run that was recorded elsewhere, numbered as they are added, with the times that it had. A time that
 * lies before the one before it counts as that one: within a run time never steps back.
 */
final class Recording {
    /** Name of the model's provider, since the imported records do not tell it. */
    static final String PROVIDER = "imported";

    private final RunInfo run;
    private final List<RunEvent> events = new ArrayList<>();
    private @Nullable StepStarted step;
    private long nanos;
    private final RewardTotals rewards = new RewardTotals();
    private RewardTotals ofStep = new RewardTotals();
    private int steps;

    Recording(RunInfo run) {
        this.run = run;
        events.add(new RunStarted(run, 1));
    }

    private long seq() {
        return events.size() + 1L;
    }

    private long nanos(Instant time) {
        nanos = Math.max(nanos, run.nanosTo(time));
        return nanos;
    }

    private int number() {
        return step == null ? RunEvent.NO_STEP : step.step();
    }

    /** Starts the next step. */
    void startStep(Instant time, Content observation) {
        step = new StepStarted(run, seq(), nanos(time), steps + 1, RunEvent.NO_STEP, observation);
        ofStep = new RewardTotals();
        events.add(step);
    }

    /** A call of the run's model; the rest of it is added. */
    void modelCalled(Instant start, Instant end, Consumer<ModelCalledBuilder> rest) {
        long started = nanos(start);
        ModelCalledBuilder call = ModelCalledBuilder.builder()
                .run(run)
                .seq(seq())
                .nanos(nanos(end))
                .step(number())
                .startNanos(started)
                .provider(PROVIDER)
                .model(run.model());
        rest.accept(call);
        events.add(call.build());
    }

    /** A tool's answer, which tells of a failure or not. */
    void toolCalled(
            Instant start,
            Instant end,
            String tool,
            @Nullable String callId,
            Content arguments,
            Content answer,
            boolean failed) {
        long started = nanos(start);
        events.add(ToolCalledBuilder.builder()
                .run(run)
                .seq(seq())
                .nanos(nanos(end))
                .step(number())
                .startNanos(started)
                .tool(tool)
                .provider(ToolCalled.FUNCTION)
                .callId(callId)
                .arguments(arguments)
                .result(failed ? Content.EMPTY : answer)
                .statusCode(failed ? RunStatus.INTERNAL : RunStatus.OK)
                .error(failed ? answer : null)
                .build());
    }

    /** A reward of the step under way, or of the run where there is none; {@code null} where it is absent. */
    void reward(Instant time, String source, @Nullable Double value) {
        reward(time, source, value, given -> {});
    }

    /** The same, with what else is told of it. */
    void reward(Instant time, String source, @Nullable Double value, Consumer<RewardGivenBuilder> rest) {
        double given = value == null ? Double.NaN : value;
        long at = nanos(time);
        RewardGivenBuilder reward = RewardGivenBuilder.builder()
                .run(run)
                .seq(seq())
                .nanos(at)
                .step(number())
                .source(source)
                .value(given)
                .absence(value == null ? "none was recorded" : null)
                .startNanos(at);
        rest.accept(reward);
        events.add(reward.build());
        rewards.add(given);
        if (step != null) {
            ofStep.add(given);
        }
    }

    /** Ends the step under way; it worked where there is no error. */
    void endStep(Instant time, String actionType, Content code, Content output, @Nullable Content error) {
        endStep(time, actionType, code, output, error, Map.of());
    }

    /** The same, with tags. */
    void endStep(
            Instant time,
            String actionType,
            Content code,
            Content output,
            @Nullable Content error,
            Map<String, String> tags) {
        StepStarted started = step;
        if (started == null) {
            throw new IllegalStateException("no step is under way");
        }
        events.add(StepEndedBuilder.builder()
                .started(started)
                .seq(seq())
                .nanos(nanos(time))
                .actionType(actionType)
                .code(code)
                .output(output)
                .success(error == null)
                .error(error)
                .reward(ofStep.ofStep())
                .cumulativeReward(rewards.sum())
                .tags(tags)
                .build());
        steps++;
        step = null;
    }

    /** Returns whether the last reward reaches the pass reward. */
    boolean isSolved(double passReward) {
        return rewards.isSolved(PassOn.LAST, passReward);
    }

    /**
     * Ends the run.
     *
     * @param message of its status; empty where there is nothing to say
     * @return all its events
     */
    List<RunEvent> end(
            Instant time,
            Outcome outcome,
            String message,
            boolean solved,
            @Nullable Content finalAnswer,
            @Nullable String path) {
        return end(time, outcome, message, solved, finalAnswer, path, end -> {});
    }

    /** The same, with what else is told of it. */
    List<RunEvent> end(
            Instant time,
            Outcome outcome,
            String message,
            boolean solved,
            @Nullable Content finalAnswer,
            @Nullable String path,
            Consumer<RunEndedBuilder> rest) {
        RunEndedBuilder end = RunEndedBuilder.builder()
                .run(run)
                .seq(seq())
                .nanos(nanos(time))
                .outcome(outcome)
                .status(RunStatus.of(rewards.codeOf(outcome), message))
                .solved(solved)
                .runPath(path)
                .steps(steps)
                .totalReward(rewards.sum())
                .absentRewards(rewards.absent())
                .rewards(rewards.given())
                .finalAnswer(finalAnswer);
        rest.accept(end);
        events.add(end.build());
        return events;
    }
}
