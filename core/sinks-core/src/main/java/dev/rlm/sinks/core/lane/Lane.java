package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.LedgerReported;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A sink's queue and thread, as the hub sees them: events are offered to the {@link EventQueue}, a {@link DispatchLoop} hands them to
 * the sink, the {@link Supervisor} sees to it that one does, and the {@link LaneCounts} tells what became of them.
 */
final class Lane {
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long CHECK_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100); // for a call to come back at a close

    private final LaneParts parts;
    private final Supervisor supervisor;
    private final AtomicReference<EventQueue> ref;
    private final boolean durable;
    private final Set<EventType> declined = EnumSet.noneOf(EventType.class);
    private volatile long handedAtClose; // events, when the close began

    /**
     * A lane to be started.
     *
     * @param replacement makes a second sink, should the first hang; {@code null} if there is no factory
     */
    Lane(
            String name,
            Sink sink,
            @Nullable Supplier<Sink> replacement,
            ThrottledLog log,
            LongSupplier nanoTime,
            QueueBounds bounds) {
        durable = GuardedSink.isDurable(sink, log);
        for (EventType type : List.of(EventType.METRICS_REPORTED, EventType.STANDALONE_SPAN_RECORDED)) {
            if (!GuardedSink.accepts(sink, type, log)) {
                declined.add(type);
            }
        }
        LaneQueue queue = new LaneQueue(bounds);
        LaneCounts counts = new LaneCounts(queue);
        parts = new LaneParts(
                name,
                log,
                queue,
                new EventQueue(queue, counts, bounds.waits(), durable, nanoTime),
                counts,
                new CircuitBreaker(nanoTime),
                new LossLog(log, nanoTime));
        supervisor = new Supervisor(parts, nanoTime, sink, replacement);
        parts.events().servedBy(supervisor::sinkInService);
        ref = new AtomicReference<>(parts.events());
    }

    void start() {
        supervisor.start(null);
    }

    String name() {
        return parts.name();
    }

    /** The sink itself, for who knows it; also one that is out of service. */
    Sink sink() {
        return supervisor.sink().unguarded();
    }

    boolean isDurable() {
        return durable;
    }

    /** Queues an event that belongs to no run, unless the sink has no place for it. */
    void offer(Event event, long weight) {
        if (!declined.contains(event.type())) {
            Objects.requireNonNull(ref.get(), "a lane has a queue at any time").offer(event, weight);
        }
    }

    EventQueue events() {
        return parts.events();
    }

    /**
     * The queue as the runs hold it, which they do for long after their end: a lane that was taken out puts another there, and
     * can then be let go of.
     */
    AtomicReference<EventQueue> ref() {
        return ref;
    }

    /** Returns whether the lane's thread is done, or its sink was given up: there is nothing to wait for. */
    boolean isOver() {
        return supervisor.isOver();
    }

    boolean isOwnThread() {
        return parts.events().isOwnThread();
    }

    /** Does what is due; about once a second. */
    void tick() {
        supervisor.tick();
        parts.look();
    }

    // ---- what its sink is asked by others

    /** The sink, unless it is out of service. */
    @Nullable
    GuardedSink sinkInService() {
        return supervisor.sinkInService();
    }

    /** Folder or file of its sink's record. */
    @Nullable
    Path recordPath() {
        GuardedSink sink = sinkInService();
        return sink == null ? null : sink.recordPath();
    }

    Optional<URI> location(String runId) {
        GuardedSink sink = sinkInService();
        return sink == null ? Optional.empty() : sink.location(runId);
    }

    /**
     * Asks its sink whether it could deliver now; one that was given up is not asked. The answer is waited for until a little
     * after that nanoTime: it may say what it has waited for.
     */
    LongFunction<SinkStatus> check(Duration timeout) {
        GuardedSink sink = sinkInService();
        if (sink == null) {
            return by -> status();
        }
        BoundedCall.Question<Health> question = sink.check(timeout);
        return by -> status(question.await(by + CHECK_GRACE_NANOS));
    }

    // ---- how it stands

    SinkStatus status() {
        GuardedSink sink = sinkInService();
        return status(sink == null ? new Health(false, supervisor.trouble()) : sink.status());
    }

    SinkStatus status(Health health) {
        String breaker = parts.breaker().reason();
        boolean works = breaker == null;
        return new SinkStatus(
                name(),
                true,
                works && health.available(),
                works ? health.detail() : "in quarantine after " + breaker,
                ledger(),
                health.facts(),
                parts.queue().retained());
    }

    /** Returns the counts of all events, after asking the sink, for up to a second, what it has acknowledged. */
    Ledger ledger() {
        SinkCounts current = parts.counts().current();
        if (current != null) {
            current.sink().ask(current);
        }
        return parts.counts().ledger();
    }

    LedgerReported.SinkLedger reportedLedger() {
        return LaneCounts.reported(ledger());
    }

    // ---- flush and close

    /** Asks for a flush of all that was offered before; the answer is whether all of it has arrived. */
    CompletableFuture<Boolean> flush(Duration timeout) {
        if (isOwnThread()) {
            return CompletableFuture.completedFuture(false); // it would wait for itself
        }
        CompletableFuture<Boolean> answer = parts.queue().flush(System.nanoTime() + timeout.toNanos());
        parts.events().wake();
        if (parts.events().isDeserted()) {
            answer.complete(false);
        }
        return answer;
    }

    /** Refuses events from now on, and ends the thread once what is queued has been handed over and flushed. */
    void beginClose(Duration timeout) {
        if (parts.queue().claimClose()) {
            Duration share = LaneQueue.share(timeout);
            GuardedSink sink = sinkInService();
            if (sink != null) {
                sink.beginClose(share); // before the lane's thread can know
            }
            handedAtClose = parts.queue().polled();
            parts.queue().close(share);
            parts.events().shut(Reasons.CLOSED);
            parts.events().wake();
        }
    }

    /**
     * Waits for the end that {@link #beginClose} has begun, also on an interrupted thread: what it records must arrive. Then
     * a call that does not come back is given up. The lane's own thread does not wait: it closes when it gets there.
     */
    void awaitClosed(Duration timeout) {
        if (isOwnThread()) {
            return;
        }
        supervisor.startAtLast();
        awaitOver(System.nanoTime() + timeout.toNanos());
        CallMark mark = supervisor.mark();
        long call = mark.current();
        if (!supervisor.isOver() && call != CallMark.NONE) {
            awaitOver(System.nanoTime() + GRACE_NANOS);
            supervisor.giveUpAtClose(mark, call, parts.queue().polled() > handedAtClose);
        }
        reportLeftBehind();
    }

    private void awaitOver(long by) {
        boolean interrupted = false;
        while (!supervisor.isOver() && by - System.nanoTime() > 0) {
            LockSupport.parkNanos(this, POLL_NANOS);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Says in the log what had neither arrived nor been given up when the lane was closed. */
    private void reportLeftBehind() {
        Ledger ledger = ledger();
        if (ledger.queued() > 0) {
            parts.log()
                    .warn(
                            "left behind",
                            ledger.queued() + " of " + ledger.offered() + " events had not arrived at its close");
        } else if (!supervisor.isOver()) {
            parts.log().warn("left open", "it did not close in time");
        }
    }
}
