package dev.rlm.sinks.otel;

import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.Failure.Remedy;
import io.opentelemetry.sdk.common.CompletableResultCode;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes a request again for as long as that may help and the time lasts: at first after a quarter of a second, then after
 * twice as long each time, up to five seconds, with some chance in it, or when the server wants it.
 *
 * <p>One request at a time, on the caller's thread; {@link #endBy} may be called on any.
 */
final class Attempts {
    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(5);

    private final boolean again;
    private final Consumer<Failure> onFailure;
    private @Nullable Long endBy; // guarded by this

    /**
     * @param again whether to make a request a second time at all
     * @param onFailure hears of each failure that is not yet the last word
     */
    Attempts(boolean again, Consumer<Failure> onFailure) {
        this.again = again;
        this.onFailure = onFailure;
    }

    /** Whether the request succeeded before {@link System#nanoTime} came to {@code by}: {@code null} if so, else why not. */
    @Nullable
    Failure make(Supplier<CompletableResultCode> request, long by) {
        Failure last = null;
        for (long pause = FIRST_PAUSE; true; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
            Failure failure = makeOnce(request, by);
            if (failure == null || failure.remedy() != Remedy.RETRY || !again) {
                return failure != null && failure.isEnd() && last != null ? last : failure;
            }
            last = failure;
            onFailure.accept(failure);
            if (!pause(Math.max(failure.retryAfter().toNanos(), jittered(pause)), by)) {
                return failure;
            }
        }
    }

    private static long jittered(long pause) {
        return (long) (pause * ThreadLocalRandom.current().nextDouble(0.8, 1.2));
    }

    @SuppressWarnings("CatchThrowable") // whatever an exporter throws, its thread goes on
    private @Nullable Failure makeOnce(Supplier<CompletableResultCode> request, long by) {
        if (isOver(by)) {
            return isEnded() ? Failure.closed() : Failure.timeout();
        }
        CompletableResultCode result;
        try {
            result = request.get();
        } catch (Throwable e) {
            return Failure.of(e);
        }
        result.whenComplete(this::wake);
        if (!await(result, by)) {
            return isEnded() ? Failure.unanswered() : Failure.timeout();
        }
        return result.isSuccess() ? null : Failure.of(result.getFailureThrowable());
    }

    private synchronized boolean await(CompletableResultCode result, long by) {
        while (!result.isDone()) {
            if (isOver(by)) {
                return false;
            }
            waitUntil(by);
        }
        return true;
    }

    /** Waits before the next attempt; whether there is still time for it. */
    private synchronized boolean pause(long nanos, long by) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            if (isOver(by)) {
                return false;
            }
            waitUntil(Math.min(start + nanos, by));
        }
        return !isOver(by);
    }

    private synchronized boolean isOver(long by) {
        return System.nanoTime() - by >= 0 || isEnded();
    }

    private synchronized boolean isEnded() {
        return endBy != null && System.nanoTime() - endBy >= 0;
    }

    private synchronized void waitUntil(long by) {
        long until = endBy == null || by - endBy < 0 ? by : endBy;
        try {
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, until - System.nanoTime()));
        } catch (InterruptedException e) {
            // Nobody's way to talk to this thread: it is closed by endBy.
        }
    }

    private synchronized void wake() {
        notifyAll();
    }

    /** Ends the request under way, and all that follow, when {@link System#nanoTime} comes to {@code by}. */
    synchronized void endBy(long by) {
        endBy = by;
        notifyAll();
    }
}
