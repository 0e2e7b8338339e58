package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.FlushResult;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEvent;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The lanes of a hub. They may come and go while runs go on, until they are closed together. */
public final class Lanes {
    private static final long ROOM_NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration CLOSE_UNUSED = Duration.ofSeconds(5);
    private static final Duration RECORD_TIME = Duration.ofSeconds(1); // kept of a close for the last ledger

    private final UnaryOperator<String> redaction;
    private final RemovedSinks removed = new RemovedSinks();
    private final LedgerReports ledgers;
    private final boolean reports;
    private final LongSupplier nanoTime;
    private final QueueBounds bounds;
    private final List<Lane> lanes = new CopyOnWriteArrayList<>();
    private final PublishedRuns published = new PublishedRuns();
    private volatile List<AtomicReference<EventQueue>> queues = List.of(); // of the lanes: one list for all runs
    private boolean closed; // guarded by this

    /**
     * No lanes yet.
     *
     * @param redaction of what is logged of a sink
     * @param bounds of the queue of each
     * @param reports whether the record is to tell at the close what became of all events
     */
    public Lanes(
            UnaryOperator<String> redaction,
            InstantSource clock,
            LongSupplier nanoTime,
            QueueBounds bounds,
            boolean reports) {
        this.reports = reports;
        this.redaction = redaction;
        this.ledgers = new LedgerReports(clock, removed);
        this.nanoTime = nanoTime;
        this.bounds = bounds;
    }

    /** Closes a sink that was never given a lane. */
    public static void closeUnused(String name, Sink sink, UnaryOperator<String> redaction) {
        BoundedCall door = new BoundedCall("close", new ThrottledLog(name, redaction, () -> 0));
        door.ask(
                () -> {
                    sink.close();
                    return true;
                },
                false,
                false,
                CLOSE_UNUSED);
    }

    /**
     * Starts a sink's lane; where all have been closed, only to close it.
     *
     * @param replacement makes a second sink, should the first hang; {@code null} if there is no factory
     * @throws IllegalArgumentException if there is one of that name
     */
    public synchronized void add(String name, Sink sink, @Nullable Supplier<Sink> replacement) {
        if (find(name).isPresent()) {
            throw new IllegalArgumentException("there is a sink named '" + name + "' already");
        }
        Lane lane = new Lane(name, sink, replacement, new ThrottledLog(name, redaction, nanoTime), nanoTime, bounds);
        lane.start();
        if (closed) {
            lane.beginClose(Duration.ZERO);
        } else {
            lanes.add(lane);
            updateQueues();
        }
    }

    private synchronized void updateQueues() {
        queues = lanes.stream().map(Lane::ref).toList();
    }

    /** Takes a lane out and closes it; whether there was one of that name. */
    public boolean remove(String name, Duration timeout) {
        Optional<Lane> lane = find(name).filter(lanes::remove);
        lane.ifPresent(found -> {
            updateQueues();
            removed.add(found);
            found.beginClose(timeout);
            found.awaitClosed(timeout);
        });
        return lane.isPresent();
    }

    private Optional<Lane> find(String name) {
        return lanes.stream().filter(lane -> lane.name().equals(name)).findFirst();
    }

    /** The sink of that name. */
    public Optional<Sink> sink(String name) {
        return find(name).map(Lane::sink);
    }

    /** All sinks. */
    public Stream<Sink> sinks() {
        return lanes.stream().map(Lane::sink);
    }

    public boolean isEmpty() {
        return lanes.isEmpty();
    }

    /** The lanes that there are, for a run that starts. */
    public RunLanes forRun() {
        return new RunLanes(queues);
    }

    /** Hands over an event that was made elsewhere. A run's events come in order, its start first and its end last. */
    public void publish(Event event) {
        if (event instanceof RunEvent inRun) {
            published.offer(inRun, queues);
        } else {
            long weight = SizeEstimator.of(event);
            lanes.forEach(lane -> lane.offer(event, weight));
        }
    }

    /** Counts an event that came after all was closed. */
    public void refuseClosed() {
        refuse(Reasons.CLOSED);
    }

    /** Counts an event that is not even offered. */
    public void refuse(String reason) {
        lanes.forEach(lane -> lane.events().refuse(reason));
    }

    /** Returns the status of every sink. */
    public List<SinkStatus> statuses() {
        return lanes.stream().map(Lane::status).toList();
    }

    /** Asks all sinks at once whether they could deliver; one that does not answer in time could not. */
    public List<SinkStatus> check(Duration timeout) {
        List<LongFunction<SinkStatus>> answers =
                lanes.stream().map(lane -> lane.check(timeout)).toList();
        long by = System.nanoTime() + timeout.toNanos();
        return answers.stream().map(answer -> answer.apply(by)).toList();
    }

    /** Folders and files of the sinks' records, by sink. */
    public Map<String, Path> recordPaths() {
        Map<String, Path> all = new LinkedHashMap<>();
        lanes.forEach(lane -> {
            Path path = lane.recordPath();
            if (path != null) {
                all.put(lane.name(), path);
            }
        });
        return all;
    }

    /** Returns the addresses at which a person finds the run, by sink. */
    public Map<String, URI> locations(String runId) {
        Map<String, URI> all = new LinkedHashMap<>();
        lanes.forEach(lane -> lane.location(runId).ifPresent(location -> all.put(lane.name(), location)));
        return all;
    }

    /** Waits until no durable sink has more than half of its queue before it; whether that came about. */
    public boolean awaitRoom(Duration timeout) {
        long by = System.nanoTime() + timeout.toNanos();
        while (!lanes.stream().allMatch(lane -> lane.events().hasRoom())) {
            if (lanes.stream().anyMatch(Lane::isOwnThread)
                    || System.nanoTime() - by >= 0
                    || Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(ROOM_NAP_NANOS);
        }
        return true;
    }

    /** Flushes all sinks at the same time, and has the record tell how each of them stands then. */
    public FlushResult flush(Duration timeout) {
        FlushResult result = flush(timeout, lane -> true);
        if (!bounds.waits()) {
            ledgers.offer(lanes);
        }
        return result;
    }

    /** Flushes the durable sinks at the same time. */
    public FlushResult flushDurable(Duration timeout) {
        return flush(timeout, Lane::isDurable);
    }

    private FlushResult flush(Duration timeout, Predicate<Lane> chosen) {
        long by = System.nanoTime() + timeout.toNanos();
        Map<String, CompletableFuture<Boolean>> answers = new LinkedHashMap<>();
        lanes.stream().filter(chosen).forEach(lane -> answers.put(lane.name(), lane.flush(timeout)));
        SortedMap<String, Boolean> result = new TreeMap<>();
        answers.forEach((name, answer) -> result.put(name, await(answer, by)));
        return new FlushResult(result);
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

    /** Does what is due: called about once a second, on the hub's timer. */
    public void tick() {
        lanes.forEach(Lane::tick);
        removed.tick();
    }

    /**
     * Closes all lanes and waits for them: those that keep the record last, so that it tells what became of the others.
     * Called once.
     */
    public void close(Duration timeout) {
        long by = System.nanoTime() + timeout.toNanos();
        markClosed();
        List<Lane> recording = lanes.stream().filter(Lane::isDurable).toList();
        List<Lane> others = lanes.stream().filter(lane -> !lane.isDurable()).toList();
        Duration reserved = recording.isEmpty() ? Duration.ZERO : min(RECORD_TIME, timeout.dividedBy(4));
        List<CompletableFuture<Boolean>> synced =
                recording.stream().map(lane -> lane.flush(timeout)).toList();
        close(others, by - reserved.toNanos());
        synced.forEach(answer -> await(answer, by - reserved.toNanos()));
        if (reports) {
            ledgers.offer(lanes);
        }
        close(recording, by);
    }

    /** Waits for the lanes that a close has left: that of a sink which closed the hub itself and cannot wait for its own end. */
    public void awaitClosed(Duration timeout) {
        long by = System.nanoTime() + timeout.toNanos();
        lanes.stream().filter(lane -> !lane.isOver()).forEach(lane -> lane.awaitClosed(LaneQueue.until(by)));
    }

    private synchronized void markClosed() {
        closed = true;
    }

    private static void close(List<Lane> lanes, long by) {
        lanes.forEach(lane -> lane.beginClose(LaneQueue.until(by)));
        lanes.forEach(lane -> lane.awaitClosed(LaneQueue.until(by)));
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
