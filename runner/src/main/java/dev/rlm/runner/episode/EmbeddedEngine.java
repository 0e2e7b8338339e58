package dev.rlm.runner.episode;

import dev.rlm.engine.EpisodeEngine;
import dev.rlm.engine.EpisodeGroup;
import dev.rlm.engine.EpisodeHandle;
import dev.rlm.engine.JobLimits;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Engine of this process: a thread for each run, so many at a time. A run that heeds neither its time limit nor the cancellation is
 * left to its thread, whose work another one goes on with.
 */
public final class EmbeddedEngine implements EpisodeEngine<Rollout> {
    private static final int GRACE_SECONDS = 1;
    private static final Duration ROOM_TIME = Duration.ofSeconds(5);

    private final Sinks sinks;
    private final JobSpan span;
    private final JobLimits limits;

    /**
     * Makes an engine that records in those sinks.
     *
     * @param span what its threads wait for is recorded in it
     */
    public EmbeddedEngine(Sinks sinks, JobSpan span, JobLimits limits) {
        this.sinks = sinks;
        this.span = span;
        this.limits = limits;
    }

    @Override
    public EpisodeHandle submit(EpisodeGroup<? extends Rollout> group) {
        Workers<?> workers = new Workers<>(group);
        workers.grow();
        return workers;
    }

    @Override
    public void close() {}

    /** Threads that run the rollouts of a group. */
    private final class Workers<R extends Rollout> implements EpisodeHandle {
        private final EpisodeGroup<R> group;
        private final TimeLimit limit = new TimeLimit(limits.timeout(), limits.stepTimeout(), this::replace);
        private final Map<Attempt, R> running = new ConcurrentHashMap<>(); // the thread that removes one tells its end
        private final Queue<Attempt> left = new ConcurrentLinkedQueue<>();
        private final CompletableFuture<Void> workless = new CompletableFuture<>();
        private final CompletableFuture<Void> over = workless.whenComplete((unused, failure) -> end());
        private final List<Thread> threads = new CopyOnWriteArrayList<>(); // also those that were left to their runs
        private final AtomicInteger started = new AtomicInteger();
        private final AtomicInteger working = new AtomicInteger();
        private final AtomicInteger waiting = new AtomicInteger(); // for the group
        private volatile boolean cancelled;
        private volatile boolean patient = true;

        private Workers(EpisodeGroup<R> group) {
            this.group = group;
        }

        private void end() {
            limit.close();
            running.forEach(this::leave);
        }

        /** Ends what has not heeded the cancellation. */
        private void leave(Attempt attempt, R rollout) {
            left.add(attempt);
            attempt.endFromOutside(Outcome.ABORTED, null, run -> run.abort(Attempt.STOPPED));
            settle(attempt);
            rollout.end();
        }

        /** Has another thread wait for the next rollout, where there may be one and none waits. */
        private void grow() {
            int most = limits.concurrency();
            if (waiting.get() == 0 && working.getAndUpdate(n -> Math.min(most, n + 1)) < most) {
                startThread(null);
            }
        }

        private void startThread(@Nullable R first) {
            Thread thread = new Thread(() -> work(first), "rlm-runner-" + started.incrementAndGet());
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
            if (cancelled) {
                thread.interrupt();
            }
        }

        @SuppressWarnings("CatchThrowable") // or the job would wait for the thread for ever
        private void work(@Nullable R first) {
            try {
                for (R rollout = first == null ? take() : first; rollout != null; rollout = take()) {
                    grow();
                    if (!runAlone(rollout)) {
                        return; // another thread goes on here
                    }
                }
                if (working.decrementAndGet() == 0) {
                    workless.complete(null);
                }
            } catch (Throwable e) {
                workless.completeExceptionally(e);
            } finally {
                threads.remove(Thread.currentThread());
            }
        }

        /** Runs it. What goes wrong outside of its runs ends a group that was known, and of others that rollout alone. */
        private boolean runAlone(R rollout) {
            try {
                return run(rollout);
            } catch (RuntimeException e) {
                if (!group.known().isEmpty()) {
                    throw e;
                }
                LoggerFactory.getLogger(EmbeddedEngine.class).warn("a rollout cannot be run", e);
                rollout.end();
                return true;
            }
        }

        /** Returns the next rollout; {@code null} where there is none any more, or the group is cancelled. */
        private @Nullable R take() {
            waiting.incrementAndGet();
            try {
                while (!cancelled) {
                    try {
                        return group.next();
                    } catch (InterruptedException e) {
                        // of the cancellation; or of the run before, whose sign came late
                    }
                }
                return null;
            } finally {
                waiting.decrementAndGet();
            }
        }

        /** Tries until it is over or cancelled. Returns false where an attempt took so long that it was given up. */
        private boolean run(R rollout) {
            while (!rollout.history().isOver(limits.retries())) {
                awaitRoom();
                if (cancelled || rollout.isStopped()) {
                    break;
                }
                Attempt attempt = rollout.next().run(sinks, limit, rollout.timeout(), begun -> begin(begun, rollout));
                if (attempt.wasGivenUp()) {
                    return false;
                }
                settle(attempt);
            }
            rollout.end();
            return true;
        }

        private void begin(Attempt attempt, R rollout) {
            running.put(attempt, rollout);
            group.begun(rollout);
            rollout.begin(() -> limit.stop(attempt));
        }

        /** Tells the result of an attempt. Only the first of several calls counts. */
        private void settle(Attempt attempt) {
            R rollout = running.remove(attempt);
            if (rollout != null) {
                group.ended(rollout, rollout.history().attempts() + 1, attempt.result());
            }
        }

        /** Goes on in the place of an attempt's thread, which does not come back from it. */
        private void replace(Attempt attempt) {
            left.removeIf(earlier -> !earlier.isGoingOn());
            left.add(attempt);
            R rollout = running.get(attempt);
            settle(attempt);
            startThread(rollout);
        }

        /** Lets the record catch up, so that it has every run; but a disk that hangs is waited for once and not each time. */
        private void awaitRoom() {
            patient = span.timed(JobSpan.AWAIT_ROOM, () -> sinks.awaitRoom(patient ? ROOM_TIME : Duration.ZERO));
        }

        @Override
        public CompletableFuture<Void> over() {
            return over;
        }

        /** A run that does not heed it is waited for a second. */
        @Override
        public void cancel() {
            cancelled = true;
            threads.forEach(Thread::interrupt);
            workless.completeOnTimeout(null, GRACE_SECONDS, TimeUnit.SECONDS);
        }

        @Override
        public int leftBehind() {
            return (int) left.stream().distinct().filter(Attempt::isGoingOn).count();
        }
    }
}
