package dev.rlm.sinks.event;

/**
 * A step has started.
 *
 * @param step its number in the run, counted from 1
 * @param parentStep the number of the step that it is nested in, or {@link RunEvent#NO_STEP}
 * @param observation what the agent sees before it acts
 */
public record StepStarted(RunInfo run, long seq, long nanos, int step, int parentStep, Content observation)
        implements RunEvent {
    public StepStarted {
        Checks.atLeast(1, seq, "seq");
        Checks.atLeast(1, step, "step");
        Checks.atLeast(0, parentStep, "parent step");
    }
}
