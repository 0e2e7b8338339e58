package dev.rlm.recorder;

import dev.rlm.sinks.event.StepStarted;

/**
 * A step that has not ended.
 *
 * @param implied whether no line has said its start
 */
record OpenStep(StepStarted started, boolean implied, Totals rewards) {
    OpenStep with(double reward) {
        return new OpenStep(started, implied, rewards.with(reward));
    }
}
