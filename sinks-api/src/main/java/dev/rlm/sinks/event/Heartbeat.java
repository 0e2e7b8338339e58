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
    public Heartbeat {
        Checks.atLeast(1, seq, "seq");
        Checks.atLeast(0, steps, "steps");
    }

    @Override
    public EventType type() {
        return EventType.HEARTBEAT;
    }
}
