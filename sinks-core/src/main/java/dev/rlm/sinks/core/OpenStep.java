package dev.rlm.sinks.core;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.StepStarted;
import org.jspecify.annotations.Nullable;

/**
 * Node of a run's list of open steps: what a step's end will tell. Guarded by its run's lock.
 *
 * <p>Each step of each run is one of these, so that they are small: what few steps have is in an object of its own.
 */
abstract class OpenStep extends OpenNode {
    private static final double NO_REWARD = -0.0; // to which anything may be added; it is shown as 0.0

    final StepStarted started;
    String actionType = "";
    Content code = Content.EMPTY;

    @Nullable
    StepNotes notes;

    double reward = NO_REWARD; // the sum of what is finite; NaN where nothing is that was given

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
        if (Double.isFinite(value)) {
            reward = (Double.isNaN(reward) ? 0 : reward) + (value + 0.0); // which is never -0.0
        } else if (isUnrewarded()) {
            reward = Double.NaN;
        }
    }

    private boolean isUnrewarded() {
        return Double.doubleToRawLongBits(reward) == Double.doubleToRawLongBits(NO_REWARD);
    }
}
