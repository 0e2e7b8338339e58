package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * A step has started.
 *
 * @param step its number in the run, counted from 1
 * @param parentStep the number of the step that it is nested in, or {@link RunEvent#NO_STEP}
 * @param observation what the agent sees before it acts
 */
@RecordBuilder
public record StepStarted(
        RunInfo run,
        long seq,
        long nanos,
        @Recorded(min = 1) int step,
        @Recorded(absent = "0", min = 0) int parentStep,
        Content observation)
        implements RunEvent {
    public StepStarted {
        observation = Checks.orEmpty(observation);
        Checks.atLeast(1, seq, "seq");
        Checks.atLeast(1, step, "step");
        Checks.atLeast(0, parentStep, "parent step");
    }

    @Override
    public EventType type() {
        return EventType.STEP_STARTED;
    }
}
