package dev.rlm.benchmarks.soak;

import dev.rlm.benchmarks.Agent;
import dev.rlm.benchmarks.Texts;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.RunStatus;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.IntStream;

/**
 * Threads that do runs of every kind at a steady pace: most complete, some fail with an exception, some are left early,
 * some with a step or a reward missing, and every run is given a reward long after its end. They can be held up, between
 * two runs, so that everything comes to rest.
 */
final class Crew implements AutoCloseable {
    private static final int THREADS = 2;
    private static final int STEPS = 4;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);
    private static final Duration ROOM_TIME = Duration.ofSeconds(10);
    private static final int LATE = 20;
    private static final int REMEMBERED = 400;

    private final Sinks hub;
    private final AtomicLong numbers = new AtomicLong();
    private final Deque<String> latest = new ArrayDeque<>(); // guarded by itself
    private final ReadWriteLock work = new ReentrantReadWriteLock(true); // read by those who work
    private final List<Thread> threads;
    private volatile boolean over;

    Crew(Sinks hub) {
        this.hub = hub;
        threads = IntStream.range(0, THREADS)
                .mapToObj(number -> new Thread(this::work, "crew-" + number))
                .toList();
        threads.forEach(thread -> thread.setDaemon(true));
    }

    void start() {
        threads.forEach(Thread::start);
    }

    /** Does so many short runs at once, on this thread. */
    void hurry(int runs) {
        for (int i = 0; i < runs; i++) {
            remember(new Agent(numbers.incrementAndGet(), 1, () -> {}).run(hub));
            hub.awaitRoom(ROOM_TIME);
        }
    }

    private void work() {
        while (!over) {
            work.readLock().lock();
            try {
                work(numbers.incrementAndGet());
            } finally {
                work.readLock().unlock();
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void work(long number) {
        String runId;
        if (number % 10 == 3) {
            runId = fail(number);
        } else if (number % 10 == 7) {
            runId = leaveEarly(number);
        } else {
            runId = new Agent(number, STEPS, () -> {}).run(hub);
        }
        hub.reward(remember(runId), "late", 0.5, List.of());
    }

    private String fail(long number) {
        RunSpec spec = spec(number);
        try (Run run = hub.startRun(spec)) {
            new Agent(number, 1, () -> {}).step(run);
            run.rewardAbsent("judge", "it could not be reached");
            run.fail(RunStatus.INTERNAL, new IllegalStateException("made to fail", new RuntimeException("its cause")));
        }
        return spec.runId();
    }

    private String leaveEarly(long number) {
        RunSpec spec = spec(number);
        try (Run run = hub.startRun(spec)) {
            Step left = run.startStep(new Texts(number).prose(300));
            left.action("run_python", new Texts(number).code(300));
        }
        return spec.runId();
    }

    private static RunSpec spec(long number) {
        return RunSpec.builder(Agent.ENVIRONMENT)
                .task(new Texts(number).prose(400))
                .build();
    }

    /** Keeps the id, and tells one that was kept a while ago. */
    private String remember(String runId) {
        synchronized (latest) {
            latest.addFirst(runId);
            if (latest.size() > REMEMBERED) {
                latest.removeLast();
            }
            return latest.stream().skip(LATE).findFirst().orElse(runId);
        }
    }

    /** Returns the number of runs that were begun. */
    long runs() {
        return numbers.get();
    }

    /** The runs that ended last. */
    List<String> latest() {
        synchronized (latest) {
            return List.copyOf(latest);
        }
    }

    /** Runs an action while the threads rest between two runs. */
    void atRest(Runnable action) {
        work.writeLock().lock();
        try {
            action.run();
        } finally {
            work.writeLock().unlock();
        }
    }

    /** Ends the threads, each after its run. */
    @Override
    public void close() throws InterruptedException {
        over = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
