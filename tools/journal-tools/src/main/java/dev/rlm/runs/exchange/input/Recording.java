package dev.rlm.runs.exchange.input;

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
import dev.rlm.sinks.schema.RunAssembler;
import dev.rlm.sinks.schema.RunAssembler.OpenStep;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The events of a run that was recorded elsewhere, numbered as they are added, with the times that it had. A time that
 * lies before the one before it counts as that one: within a run time never steps back.
 */
public final class Recording {
    /** Name of the model's provider, since the imported records do not tell it. */
    static final String PROVIDER = "imported";

    private final RunInfo run;
    private final RunAssembler known = new RunAssembler();
    private final List<RunEvent> events = new ArrayList<>();
    private int step; // under way

    public Recording(RunInfo run) {
        this.run = run;
        add(new RunStarted(run, known.nextSeq()));
    }

    private void add(RunEvent event) {
        events.add(known.add(event));
    }

    private long nanos(Instant time) {
        return Math.max(known.lastNanos(), run.nanosTo(time));
    }

    /** Starts the next step. */
    public void startStep(Instant time, Content observation) {
        step = known.nextStep();
        add(new StepStarted(run, known.nextSeq(), nanos(time), step, RunEvent.NO_STEP, observation));
    }

    /** A call of the run's model; the rest of it is added. */
    public void modelCalled(Instant start, Instant end, Consumer<ModelCalledBuilder> rest) {
        ModelCalledBuilder call = ModelCalledBuilder.builder()
                .run(run)
                .seq(known.nextSeq())
                .nanos(Math.max(nanos(start), nanos(end)))
                .step(step)
                .startNanos(nanos(start))
                .provider(PROVIDER)
                .model(run.model());
        rest.accept(call);
        add(call.build());
    }

    /** A tool's answer, which tells of a failure or not. */
    public void toolCalled(
            Instant start,
            Instant end,
            String tool,
            @Nullable String callId,
            Content arguments,
            Content answer,
            boolean failed) {
        add(ToolCalledBuilder.builder()
                .run(run)
                .seq(known.nextSeq())
                .nanos(Math.max(nanos(start), nanos(end)))
                .step(step)
                .startNanos(nanos(start))
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
    public void reward(Instant time, String source, @Nullable Double value) {
        reward(time, source, value, given -> {});
    }

    /** The same, with what else is told of it. */
    public void reward(Instant time, String source, @Nullable Double value, Consumer<RewardGivenBuilder> rest) {
        long at = nanos(time);
        RewardGivenBuilder reward = RewardGivenBuilder.builder()
                .run(run)
                .seq(known.nextSeq())
                .nanos(at)
                .step(step)
                .source(source)
                .value(value == null ? Double.NaN : value)
                .absence(value == null ? "none was recorded" : null)
                .startNanos(at);
        rest.accept(reward);
        add(reward.build());
    }

    /** Ends the step under way, which worked where there is no error; the rest of its end is added. */
    public void endStep(Instant time, @Nullable Content error, Consumer<StepEndedBuilder> rest) {
        OpenStep started = known.open(step);
        if (started == null) {
            throw new IllegalStateException("no step is under way");
        }
        StepEndedBuilder end = known.end(started, nanos(time), error);
        rest.accept(end);
        add(end.build());
        step = RunEvent.NO_STEP;
    }

    /**
     * Ends the run, solved by its last reward; the rest of its end is added.
     *
     * @param message of its status; empty where there is nothing to say
     * @param defaults have the pass reward, and where the record lies
     * @return all its events
     */
    public List<RunEvent> end(
            Instant time, Outcome outcome, String message, ImportDefaults defaults, Consumer<RunEndedBuilder> rest) {
        RunEndedBuilder end = known.end(nanos(time), outcome, message)
                .run(run)
                .solved(known.isSolved(outcome, PassOn.LAST, defaults.passReward()))
                .runPath(defaults.path());
        rest.accept(end);
        add(end.build());
        return events;
    }
}
