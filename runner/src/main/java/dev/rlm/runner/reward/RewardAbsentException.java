package dev.rlm.runner.reward;

/** A reward function came to no value. The message says why. */
final class RewardAbsentException extends Exception {
    private static final long serialVersionUID = 1;
    private static final int MAX_LENGTH = 500;

    RewardAbsentException(String message) {
        super(message);
    }

    /** Because of what a function threw. */
    static RewardAbsentException of(Throwable error) {
        return error instanceof RewardAbsentException absent ? absent : new RewardAbsentException(text(error));
    }

    @SuppressWarnings("CatchThrowable") // a plug-in's exception may throw where it is asked what it is
    private static String text(Throwable error) {
        try {
            String text = String.valueOf(error.toString());
            return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…";
        } catch (Throwable e) {
            return error.getClass().getName();
        }
    }
}
