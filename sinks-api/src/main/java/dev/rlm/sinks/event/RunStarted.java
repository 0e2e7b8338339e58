package dev.rlm.sinks.event;

/** A run has started. All that is known of it is in {@link #run()}. */
public record RunStarted(@Recorded(inline = true) RunInfo run, long seq) implements RunEvent {
    public RunStarted {
        Checks.atLeast(1, seq, "seq");
    }

    @Override
    public EventType type() {
        return EventType.RUN_STARTED;
    }

    @Override
    public long nanos() {
        return 0;
    }
}
