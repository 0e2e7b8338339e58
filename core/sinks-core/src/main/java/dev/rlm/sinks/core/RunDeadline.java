package dev.rlm.sinks.core;

import dev.rlm.sinks.RunSpec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time that a run and each of its steps may take, watched over by the hub's timer. It looks when something may be over
 * and not at each step: what starts after a look cannot be over before a step's whole time has gone.
 */
final class RunDeadline implements AutoCloseable {
    private static final long NEVER = Long.MAX_VALUE;
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10); // where somebody has the run's lock

    private final Limited run;
    private final Ticker ticker;
    private final @Nullable Duration limit;
    private final @Nullable Duration stepLimit;
    private @Nullable Future<?> look; // guarded by this
    private boolean closed; // guarded by this

    private RunDeadline(Limited run, Ticker ticker, @Nullable Duration limit, @Nullable Duration stepLimit) {
        this.run = run;
        this.ticker = ticker;
        this.limit = limit;
        this.stepLimit = stepLimit;
    }

    /** Returns the deadline of the run, to be started; {@code null} where it may take any time. */
    static @Nullable RunDeadline of(RunSpec spec, Limited run, Ticker ticker) {
        return spec.timeout() == null && spec.stepTimeout() == null
                ? null
                : new RunDeadline(run, ticker, spec.timeout(), spec.stepTimeout());
    }

    /** The run has started, just now. */
    void start() {
        lookAt(Math.min(nanos(limit), nanos(stepLimit)));
    }

    private void look() {
        if (run.nanos() >= nanos(limit)) {
            if (!run.expire("the run took longer than " + seconds(limit))) {
                lookAt(run.nanos() + AGAIN_NANOS);
            }
            return;
        }
        Optional<Long> nextStep = stepLimit == null
                ? Optional.of(NEVER)
                : run.expireSteps(nanos(stepLimit), "the step took longer than " + seconds(stepLimit));
        lookAt(Math.min(nanos(limit), nextStep.orElseGet(() -> run.nanos() + AGAIN_NANOS)));
    }

    private synchronized void lookAt(long runNanos) {
        if (!closed) {
            look = ticker.after(Duration.ofNanos(runNanos - run.nanos()), this::look);
        }
    }

    private static long nanos(@Nullable Duration limit) {
        return limit == null ? NEVER : Ticker.nanos(limit);
    }

    private static String seconds(@Nullable Duration limit) {
        return limit == null ? "" : limit.toMillis() / 1000.0 + " s";
    }

    /** A run as the timer sees it. It waits for nothing. */
    interface Limited {
        /** The time since its start. */
        long nanos();

        /** Ends the run as one that took too long; whether it has ended. */
        boolean expire(String message);

        /**
         * Ends the steps that took longer than that.
         *
         * @return when the next one that is open will have, if it does not end before, as {@link #nanos()}; empty where the
         *     run's lock could not be had
         */
        Optional<Long> expireSteps(long limitNanos, String message);
    }

    /** The run has ended. */
    @Override
    public synchronized void close() {
        closed = true;
        if (look != null) {
            look.cancel(false);
        }
    }
}
