package dev.rlm.sinks.event;

/**
 * A run goes on.
 *
 * @param steps how many steps have ended so far
 * @param totalReward the sum of the finite rewards so far
 */
public record Heartbeat(
        RunInfo run,
        long seq,
        long nanos,
        @Recorded(min = 0) int steps,
        double totalReward) implements RunEvent {
    private static final RunStatus GOES_ON = RunStatus.of(RunStatus.RUNNING, "");

    public Heartbeat {
        Checks.atLeast(1, seq, "seq");
        Checks.atLeast(0, steps, "steps");
    }

    /** In the form that trainers poll for, as a run's end has it: it has not ended. */
    @Recorded(since = 2)
    public RunStatus status() {
        return GOES_ON;
    }

    @Override
    public EventType type() {
        return EventType.HEARTBEAT;
    }
}
