package dev.rlm.runner.episode;

import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunStatus;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Time limits of a run and of each of its steps. A run that exceeds one fails at that moment, whatever its thread does. The
 * thread is interrupted; an attempt that does not heed it within a second is given up. The limits hold without a record,
 * too: so they are the runner's own, and not those of {@link dev.rlm.sinks.RunSpec}.
 */
final class TimeLimit implements AutoCloseable {
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final @Nullable Duration limit;
    private final @Nullable Duration stepLimit;
    private final Consumer<Attempt> givenUp;
    private final ScheduledThreadPoolExecutor timer; // without a thread until something is limited

    /**
     * The limits; {@code null} for none.
     *
     * @param givenUp is told of attempts that do not heed it
     */
    TimeLimit(@Nullable Duration limit, @Nullable Duration stepLimit, Consumer<Attempt> givenUp) {
        this.limit = limit;
        this.stepLimit = stepLimit;
        this.givenUp = givenUp;
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "rlm-time-limit");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy()); // the job is over
    }

    /**
     * Watches over an attempt that starts now, until the watch is closed.
     *
     * @param own how long it may take; {@code null} for as long as any
     */
    Watch watch(Attempt attempt, @Nullable Duration own) {
        return new Watch(attempt, own == null ? limit : own);
    }

    /** Aborts an attempt before its time. */
    void stop(Attempt attempt) {
        ended(attempt, attempt.endFromOutside(Outcome.ABORTED, null, run -> run.abort(Attempt.STOPPED)));
    }

    private void ended(Attempt attempt, boolean fromHere) {
        if (fromHere) {
            var unused = timer.schedule(() -> giveUp(attempt), GRACE_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    private void giveUp(Attempt attempt) {
        if (attempt.giveUp()) {
            givenUp.accept(attempt);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    /** The time of one run. For one thread. */
    final class Watch implements AutoCloseable {
        private final Attempt attempt;
        private final @Nullable Future<?> end;
        private @Nullable Future<?> stepEnd;

        private Watch(Attempt attempt, @Nullable Duration time) {
            this.attempt = attempt;
            this.end = expiry(time, "the run", null);
        }

        /** A step starts, and may take its own time. */
        void start(Step step, int number) {
            stepEnd = expiry(stepLimit, "step " + number, step);
        }

        private @Nullable Future<?> expiry(@Nullable Duration time, String what, @Nullable Step step) {
            return time == null
                    ? null
                    : timer.schedule(
                            () -> expire(step, what + " took longer than " + time.toMillis() / 1000.0 + " s"),
                            time.toNanos(),
                            TimeUnit.NANOSECONDS);
        }

        /** The run has taken too long, or the step has and the run with it. */
        private void expire(@Nullable Step step, String message) {
            TimeoutException error = new TimeoutException(message);
            error.setStackTrace(attempt.whereabouts());
            boolean ended = step == null
                    ? attempt.endFromOutside(Outcome.FAILED, error, run -> run.fail(RunStatus.DEADLINE_EXCEEDED, error))
                    : attempt.endFromOutside(step, Outcome.FAILED, error, run -> {
                        step.expire(message);
                        run.fail(RunStatus.DEADLINE_EXCEEDED, error);
                    });
            ended(attempt, ended);
        }

        /** The step that was started has ended. */
        void endStep() {
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
