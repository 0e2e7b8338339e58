package dev.rlm.sinks.event;

import java.time.Instant;

/** An {@link Event} of one run. */
public sealed interface RunEvent extends Event
        permits RunStarted,
                StepStarted,
                ModelCalled,
                ToolCalled,
                RewardGiven,
                StepEnded,
                SpanRecorded,
                ArtifactSaved,
                Heartbeat,
                RunEnded {
    /** The {@link #step()} of an event that belongs to the run as a whole. */
    int NO_STEP = 0;

    /** The run that it happened in. */
    RunInfo run();

    /**
     * The event's number within its run, counted from 1 in the order in which they were recorded. A gap in what a sink
     * receives is a loss.
     */
    long seq();

    /** Nanoseconds from the run's start to {@link #time()}, by a clock that never steps back. */
    long nanos();

    /** The step that it happened in, counted from 1, or {@link #NO_STEP}. */
    default int step() {
        return NO_STEP;
    }

    @Override
    default Instant time() {
        return run().at(nanos());
    }
}
