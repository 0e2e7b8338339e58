package dev.rlm.sinks.traced;

import org.jspecify.annotations.Nullable;

/** The recording of one call that goes on: is told how it ended. Nothing in it throws. */
interface Recording<R> {
    /** The call has ended with that. */
    void returned(@Nullable R result);

    /** The call has failed. */
    void failed(Throwable error);

    /** Makes the call and tells how it ended: on this thread, and for the caller as if nobody looked on. */
    default <T extends R, X extends Exception> T around(Call<T, X> call) throws X {
        T result = opening(call);
        returned(result);
        return result;
    }

    /** Likewise, where what it returns is not yet the end. */
    @SuppressWarnings("CatchThrowable") // and thrown on
    default <T extends @Nullable Object, X extends Exception> T opening(Call<T, X> call) throws X {
        try {
            return call.make();
        } catch (Throwable e) {
            failed(e);
            throw e;
        }
    }

    /** What is recorded. */
    @FunctionalInterface
    interface Call<T extends @Nullable Object, X extends Exception> {
        T make() throws X;
    }
}
