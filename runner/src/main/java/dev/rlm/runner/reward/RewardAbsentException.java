package dev.rlm.runner.reward;

import dev.rlm.runner.plugin.BoundedCalls;

/** A reward function came to no value. The message says why. */
final class RewardAbsentException extends Exception {
    private static final long serialVersionUID = 1;

    RewardAbsentException(String message) {
        super(message);
    }

    /** Because of what a function threw. */
    static RewardAbsentException of(Throwable error) {
        return error instanceof RewardAbsentException absent
                ? absent
                : new RewardAbsentException(BoundedCalls.text(error));
    }
}
