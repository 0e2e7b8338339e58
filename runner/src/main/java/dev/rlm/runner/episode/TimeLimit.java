package dev.rlm.runner.episode;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunStatus;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How long a run may take, and each of its steps. What takes longer fails at that moment, whatever its thread does, which
 * is interrupted; an attempt that does not heed it within a second is given up. It holds where nothing records, too: so it
 * is the runner's own, and not that of {@link dev.rlm.sinks.RunSpec}.
 */
final class TimeLimit implements AutoCloseable {
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Watch NONE = new Watch() {};

    private final @Nullable Duration limit;
    private final @Nullable Duration stepLimit;
    private final Consumer<Attempt> givenUp;
    private final @Nullable ScheduledExecutorService timer;

    /**
     * The limits; {@code null} for none.
     *
     * @param givenUp is told of attempts that do not heed it
     */
    TimeLimit(@Nullable Duration limit, @Nullable Duration stepLimit, Consumer<Attempt> givenUp) {
        this.limit = limit;
        this.stepLimit = stepLimit;
        this.givenUp = givenUp;
        this.timer = limit == null && stepLimit == null ? null : timer();
    }

    private static ScheduledExecutorService timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "rlm-time-limit");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    /** Watches over an attempt that starts now, until the watch is closed. */
    Watch watch(Attempt attempt) {
        return timer == null ? NONE : new TimedWatch(timer, attempt);
    }

    @Override
    public void close() {
        if (timer != null) {
            timer.shutdownNow();
        }
    }

    private static String text(Duration time) {
        return time.toMillis() / 1000.0 + " s";
    }

    /** The time of one run. For one thread. */
    interface Watch extends AutoCloseable {
        /** A step starts, and may take its own time. */
        default void start(Step step, int number) {}

        /** The step that was started has ended. */
        default void endStep() {}

        @Override
        default void close() {}
    }

    private final class TimedWatch implements Watch {
        private final ScheduledExecutorService timer;
        private final Attempt attempt;
        private final @Nullable Future<?> end;
        private @Nullable Future<?> stepEnd;

        TimedWatch(ScheduledExecutorService timer, Attempt attempt) {
            this.timer = timer;
            this.attempt = attempt;
            this.end = limit == null
                    ? null
                    : after(limit.toNanos(), () -> expire(null, "the run took longer than " + text(limit)));
        }

        @Override
        public void start(Step step, int number) {
            if (stepLimit != null) {
                String message = "step " + number + " took longer than " + text(stepLimit);
                stepEnd = after(stepLimit.toNanos(), () -> expire(step, message));
            }
        }

        private Future<?> after(long nanos, Runnable task) {
            return timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
        }

        /** The run has taken too long, or the step has and the run with it. */
        private void expire(@Nullable Step step, String message) {
            TimeoutException error = new TimeoutException(message);
            error.setStackTrace(attempt.whereabouts());
            Consumer<Run> end = run -> {
                attempt.because(error);
                run.fail(RunStatus.DEADLINE_EXCEEDED, error);
            };
            boolean ended = step == null
                    ? attempt.endFromOutside(Outcome.FAILED, end)
                    : attempt.endFromOutside(step, Outcome.FAILED, run -> {
                        step.expire(message);
                        end.accept(run);
                    });
            if (ended) {
                var unused = after(GRACE_NANOS, this::giveUp);
            }
        }

        private void giveUp() {
            if (attempt.giveUp()) {
                givenUp.accept(attempt);
            }
        }

        @Override
        public void endStep() {
            cancel(stepEnd);
        }

        @Override
        public void close() {
            cancel(stepEnd);
            cancel(end);
        }

        private static void cancel(@Nullable Future<?> task) {
            if (task != null) {
                task.cancel(false);
            }
        }
    }
}
