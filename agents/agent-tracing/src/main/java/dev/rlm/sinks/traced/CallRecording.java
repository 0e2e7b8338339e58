package dev.rlm.sinks.traced;

import org.jspecify.annotations.Nullable;

/** The recording of one call that goes on: is told how it ended. Nothing in it throws. */
interface CallRecording<R> {
    /** The call has ended with that. */
    void returned(@Nullable R result);

    /** The call has failed. */
    void failed(Throwable error);

    /** Makes the call on this thread and tells how it ended. The caller gets the call's own result or error. */
    default <T extends R, X extends Exception> T around(Call<T, X> call) throws X {
        T result = opening(call);
        returned(result);
        return result;
    }

    /** Makes the call on this thread, and tells only of a failure: it has not ended with what it returns. */
    @SuppressWarnings("CatchThrowable") // and thrown on
    default <T extends @Nullable Object, X extends Exception> T opening(Call<T, X> call) throws X {
        try {
            return call.make();
        } catch (Throwable e) {
            failed(e);
            throw e;
        }
    }

    /** A call to be recorded. */
    @FunctionalInterface
    interface Call<T extends @Nullable Object, X extends Exception> {
        T make() throws X;
    }
}
