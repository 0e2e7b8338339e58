package dev.rlm.sinks.core;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.schema.RewardTotals;
import org.jspecify.annotations.Nullable;

/**
 * Node of a run's list of open steps: what a step's end will tell. Guarded by its run's lock.
 *
 * <p>Each step of each run is one of these, so that they are small: what few steps have is in an object of its own.
 */
abstract class OpenStep extends OpenNode {
    final StepStarted started;
    String actionType = "";
    Content code = Content.EMPTY;

    @Nullable
    StepNotes notes;

    double reward = RewardTotals.NO_REWARD;

    OpenStep(StepStarted started) {
        this.started = started;
    }

    final StepNotes notes() {
        StepNotes known = notes == null ? new StepNotes() : notes;
        notes = known;
        return known;
    }

    /** A reward was given to the step. */
    final void rewarded(double value) {
        reward = RewardTotals.plus(reward, value);
    }
}
