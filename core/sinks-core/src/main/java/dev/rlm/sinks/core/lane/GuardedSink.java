package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.TraceContext;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A sink as others than its lane's thread may use it: nothing that it throws gets out, and none of its methods holds up who
 * calls it beyond a bound.
 */
final class GuardedSink {
    private static final Duration AT_ONCE = Duration.ofMillis(100); // on a runner's thread
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration AT_ITS_START = Duration.ofSeconds(5); // what is asked once should not be mistaken
    private static final Duration FOR_EVER = Duration.ofDays(365);
    private static final Health FAILED = new Health(false, "its status could not be asked");
    private static final Health LATE = new Health(false, "its status gave no answer in time");

    private final Sink sink;
    private final ThrottledLog log;
    private final BooleanSupplier ownThread;
    private final BooleanSupplier busy;
    private final BooleanSupplier stalled;
    private final BoundedCall openScope;
    private final BoundedCall closeScope;
    private final BoundedCall traceOfScope;
    private final BoundedCall location;
    private final BoundedCall traceContext;
    private final BoundedCall status;
    private final BoundedCall acknowledged;
    private final BoundedCall check;
    private final AtomicInteger asking = new AtomicInteger(); // threads that ask the sink directly
    private final ScopeTime scopeTime = new ScopeTime();
    private final @Nullable Path recordPath;
    private volatile boolean scopesShut;

    /**
     * Guards a sink, and asks it where it keeps its record.
     *
     * @param ownThread whether the calling thread is its lane's
     * @param busy whether its lane's thread is in a call of it, which may hold its locks
     * @param stalled whether that call has gone on for a second or more
     */
    GuardedSink(Sink sink, ThrottledLog log, BooleanSupplier ownThread, BooleanSupplier busy, BooleanSupplier stalled) {
        this.sink = sink;
        this.log = log;
        this.ownThread = ownThread;
        this.busy = busy;
        this.stalled = stalled;
        openScope = new BoundedCall("openScope", log);
        closeScope = new BoundedCall("closing a scope", log);
        traceOfScope = new BoundedCall("traceContext of a scope", log);
        location = new BoundedCall("location", log);
        traceContext = new BoundedCall("traceContext", log);
        status = new BoundedCall("status", log);
        acknowledged = new BoundedCall("acknowledged", log);
        check = new BoundedCall("check", log);
        recordPath = new BoundedCall("recordPath", log)
                .ask(() -> given(sink.recordPath()), Optional.<Path>empty(), Optional.<Path>empty(), AT_ITS_START)
                .map(Path::toAbsolutePath)
                .orElse(null);
    }

    Sink unguarded() {
        return sink;
    }

    /**
     * Opens a scope on the calling thread, where it cannot be kept from taking long: a sink that stalls is not asked, and
     * one that has taken too long is not asked again.
     */
    Scope openScope(Place place) {
        if (scopesShut || stalled.getAsBoolean()) {
            return Scope.NONE;
        }
        return here(openScope, () -> guarded(given(sink.openScope(place))), Scope.NONE);
    }

    /** With its span, which the log asks for at once: in the same call, since a call costs more than the answer. */
    private Scope guarded(Scope scope) {
        return scope == Scope.NONE
                ? scope
                : new GuardedScope(scope, traceOfScope.askHere(() -> given(scope.traceContext()), Optional.empty()));
    }

    private final class GuardedScope implements Scope {
        private final Scope scope;
        private final Optional<TraceContext> traceContext;

        GuardedScope(Scope scope, Optional<TraceContext> traceContext) {
            this.scope = scope;
            this.traceContext = traceContext;
        }

        @Override
        public Optional<TraceContext> traceContext() {
            return traceContext;
        }

        @Override
        public void close() {
            here(
                    closeScope,
                    () -> {
                        scope.close();
                        return true;
                    },
                    false);
        }
    }

    private <T> T here(BoundedCall door, Callable<T> call, T failed) {
        long start = System.nanoTime();
        T answer = door.askHere(call, failed);
        long taken = System.nanoTime() - start;
        if (scopeTime.add(start, taken)) {
            scopesShut = true;
            log.warn(
                    "slow scopes",
                    door.method() + " took " + taken / 1_000_000 + " ms, scopes " + scopeTime
                            + ": no more are asked for");
        }
        return answer;
    }

    Optional<TraceContext> traceContext(Place place) {
        return promptly(traceContext, () -> given(sink.traceContext(place)), AT_ONCE);
    }

    /** Folder or file of its record. */
    @Nullable
    Path recordPath() {
        return recordPath;
    }

    /** Address of a run. A person asks for it, and is not in a hurry. */
    Optional<URI> location(String runId) {
        return promptly(location, () -> given(sink.location(runId)), SOON);
    }

    /**
     * Asks on the calling thread if the sink is known to be prompt and its lane, which may hold the sink's locks, is in no call; the
     * lane begins none meanwhile.
     */
    private <T> Optional<T> promptly(BoundedCall door, Callable<Optional<T>> question, Duration bound) {
        if (ownThread.getAsBoolean()) {
            return door.askHere(question, Optional.empty());
        }
        if (door.isPrompt()) {
            asking.incrementAndGet(); // before the look at the lane
            try {
                if (!busy.getAsBoolean()) {
                    return door.askHere(question, Optional.empty());
                }
            } finally {
                asking.decrementAndGet();
            }
        }
        return door.ask(question, Optional.empty(), Optional.empty(), bound);
    }

    /** Returns the number of threads that ask the sink directly. */
    AtomicInteger asking() {
        return asking;
    }

    /** Returns whether a sink that has no lane yet keeps the record. */
    static boolean isDurable(Sink sink, ThrottledLog log) {
        return new BoundedCall("isDurable", log).ask(sink::isDurable, false, false, AT_ITS_START);
    }

    /** Returns whether a sink that has no lane yet has a place for such events of no run. */
    static boolean accepts(Sink sink, EventType type, ThrottledLog log) {
        return new BoundedCall("accepts", log).ask(() -> sink.accepts(type), true, true, AT_ITS_START);
    }

    /**
     * Returns the time that a call may take before it counts as hanging; {@link Sink#PATIENCE} if the sink gives no
     * valid one.
     */
    Duration patience() {
        Duration answer = new BoundedCall("patience", log)
                .ask(() -> given(sink.patience()), Sink.PATIENCE, Sink.PATIENCE, AT_ITS_START);
        if (answer.isZero() || answer.isNegative()) {
            return Sink.PATIENCE;
        }
        return answer.compareTo(FOR_EVER) < 0 ? answer : FOR_EVER;
    }

    Health status() {
        Callable<Health> question = () -> given(sink.status());
        return ownThread.getAsBoolean() ? status.askHere(question, FAILED) : status.ask(question, FAILED, LATE, SOON);
    }

    /** Begins to ask whether it could deliver. */
    BoundedCall.Question<Health> check(Duration timeout) {
        return check.start(
                () -> given(sink.check(timeout)),
                new Health(false, "its check failed"),
                new Health(false, "its check gave no answer in time"));
    }

    /** Says that it will be closed. */
    void beginClose(Duration timeout) {
        Callable<Boolean> question = () -> {
            sink.beginClose(timeout);
            return true;
        };
        BoundedCall door = new BoundedCall("beginClose", log);
        if (ownThread.getAsBoolean()) {
            door.askHere(question, false);
        } else {
            door.ask(question, false, false, AT_ONCE);
        }
    }

    /** Learns what it has acknowledged, if it says so within a second. */
    void ask(SinkCounts counts) {
        ask(counts, SOON);
    }

    /** Learns what it has acknowledged, if it says so within 100 ms: at a close, which has no time left. */
    void askAtOnce(SinkCounts counts) {
        ask(counts, AT_ONCE);
    }

    private void ask(SinkCounts counts, Duration bound) {
        Callable<Boolean> learning = () -> {
            counts.learn(sink.acknowledged());
            return true;
        };
        if (!acknowledged.ask(learning, false, false, bound)) {
            counts.unanswered();
        }
    }

    /** A sink need not have been compiled with a check for null. */
    private static <T> T given(T answer) {
        return Objects.requireNonNull(answer, "it answered null");
    }
}
