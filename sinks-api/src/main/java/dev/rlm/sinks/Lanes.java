package dev.rlm.sinks;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The lanes of a hub. They may come and go while runs go on, until they are closed together. */
final class Lanes {
    private static final long ROOM_NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final List<Lane> lanes = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Boolean> closing = new CompletableFuture<>(); // completed when closing is over
    private boolean closed; // guarded by this

    Lane[] current() {
        return lanes.toArray(new Lane[0]);
    }

    Stream<Lane> stream() {
        return lanes.stream();
    }

    Optional<Lane> find(String name) {
        return lanes.stream().filter(lane -> lane.name().equals(name)).findFirst();
    }

    /** Starts a lane; where all have been closed, only to close it. */
    synchronized void add(Lane lane) {
        if (find(lane.name()).isPresent()) {
            throw new IllegalArgumentException("there is a sink named '" + lane.name() + "' already");
        }
        lane.start();
        if (closed) {
            lane.beginClose(Duration.ZERO);
        } else {
            lanes.add(lane);
        }
    }

    /** Takes a lane out and closes it; whether there was one of that name. */
    boolean remove(String name, Duration timeout) {
        Optional<Lane> lane = find(name).filter(lanes::remove);
        lane.ifPresent(found -> {
            found.beginClose(timeout);
            found.awaitClosed(timeout);
            found.reportLeftBehind();
        });
        return lane.isPresent();
    }

    /** Counts an event that is not even offered. */
    void refuse(String reason) {
        lanes.forEach(lane -> lane.refuse(reason));
    }

    /** Waits until no durable sink has more than half of its queue before it; whether that came about. */
    boolean awaitRoom(Duration timeout) {
        long by = System.nanoTime() + timeout.toNanos();
        while (!lanes.stream().allMatch(Lane::hasRoom)) {
            if (System.nanoTime() - by >= 0 || Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(ROOM_NAP_NANOS);
        }
        return true;
    }

    /** Flushes the chosen ones at the same time. */
    FlushResult flush(Duration timeout, Predicate<Lane> chosen) {
        long by = System.nanoTime() + timeout.toNanos();
        Map<String, CompletableFuture<Boolean>> answers = new LinkedHashMap<>();
        lanes.stream().filter(chosen).forEach(lane -> answers.put(lane.name(), lane.flush(timeout)));
        Map<String, Boolean> result = new LinkedHashMap<>();
        answers.forEach((name, answer) -> result.put(name, await(answer, by)));
        return FlushResult.of(result);
    }

    /** Asks all sinks at once whether they could deliver; one that does not answer in time could not. */
    List<SinkStatus> check(Duration timeout) {
        List<Check> checks =
                lanes.stream().map(lane -> Check.start(lane, timeout)).toList();
        long by = System.nanoTime() + timeout.toNanos();
        return checks.stream().map(check -> check.await(by)).toList();
    }

    private static boolean await(CompletableFuture<Boolean> answer, long by) {
        try {
            return answer.get(Math.max(0, by - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    /** Closes all lanes and waits for them. A later call only waits, within its own time, for the first to be over. */
    void close(Duration timeout) {
        if (markClosed()) {
            long by = System.nanoTime() + timeout.toNanos();
            lanes.forEach(lane -> lane.beginClose(timeout));
            lanes.forEach(lane -> lane.awaitClosed(Duration.ofNanos(Math.max(0, by - System.nanoTime()))));
            lanes.forEach(Lane::reportLeftBehind);
            closing.complete(true);
        } else {
            await(closing, System.nanoTime() + timeout.toNanos());
        }
    }

    /** Whether they were open until now. */
    private synchronized boolean markClosed() {
        boolean wereOpen = !closed;
        closed = true;
        return wereOpen;
    }
}
