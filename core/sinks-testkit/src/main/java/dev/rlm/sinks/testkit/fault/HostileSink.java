package dev.rlm.sinks.testkit.fault;

import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.testkit.InMemorySink;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A sink with faults in the callbacks chosen. Elsewhere it is a healthy one, which keeps the events that it has taken
 * in memory. It is to be set up before a hub has it; its calls and events may be read on any thread at any time.
 */
public final class HostileSink implements Sink {
    private final Map<Callback, Fault> faults = new EnumMap<>(Callback.class);
    private final Map<Callback, AtomicLong> calls = new EnumMap<>(Callback.class);
    private final InMemorySink taken = new InMemorySink();
    private Duration patience = Duration.ofSeconds(60);
    private boolean exclusive;
    private boolean answersNull;
    private boolean durable;

    private HostileSink() {
        for (Callback callback : Callback.values()) {
            calls.put(callback, new AtomicLong());
        }
    }

    /** One with that fault in each of these callbacks. */
    public static HostileSink with(Fault fault, Callback... where) {
        return new HostileSink().and(fault, where);
    }

    /** One that answers every question with null. */
    public static HostileSink answeringNull() {
        HostileSink sink = new HostileSink();
        sink.answersNull = true;
        return sink;
    }

    /** Adds a fault in each of these callbacks. */
    public HostileSink and(Fault fault, Callback... where) {
        for (Callback callback : where) {
            faults.put(callback, fault);
        }
        return this;
    }

    /**
     * Holds one lock in all callbacks, as a sink with synchronized methods does: one that hangs then holds up all. Not in
     * {@link #openScope}, which no hub can call on another thread than the runner's own.
     */
    public HostileSink exclusive() {
        exclusive = true;
        return this;
    }

    /** Sets the time that a call may take before it counts as hung: {@link Sink#patience}. */
    public HostileSink patience(Duration value) {
        patience = value;
        return this;
    }

    /** Keeps the record, as it says: {@link Sink#isDurable}. */
    public HostileSink durable() {
        durable = true;
        return this;
    }

    /** Returns the number of calls of that callback. */
    public long calls(Callback callback) {
        AtomicLong count = calls.get(callback);
        return count == null ? 0 : count.get();
    }

    /** The events that it has taken: those of which no fault kept it. */
    public InMemorySink taken() {
        return taken;
    }

    // ---- as a sink

    @Override
    public void onEvent(Event event) {
        called(Callback.ON_EVENT);
        taken.onEvent(event);
    }

    @Override
    public void onBatchEnd() {
        called(Callback.ON_BATCH_END);
    }

    @Override
    public boolean flush(Duration timeout) {
        called(Callback.FLUSH);
        return true;
    }

    @Override
    public void beginClose(Duration timeout) {
        called(Callback.BEGIN_CLOSE);
    }

    @Override
    public void close() {
        called(Callback.CLOSE);
    }

    @Override
    public Health status() {
        return answer(Callback.STATUS, new Health(true, "hostile"));
    }

    @Override
    public Health check(Duration timeout) {
        return answer(Callback.CHECK, new Health(true, "hostile"));
    }

    @Override
    public @Nullable Acknowledged acknowledged() {
        called(Callback.ACKNOWLEDGED);
        return null;
    }

    @Override
    public boolean accepts(EventType type) {
        called(Callback.ACCEPTS);
        return true;
    }

    @Override
    public boolean isDurable() {
        called(Callback.IS_DURABLE);
        return durable;
    }

    @Override
    public Duration patience() {
        return answer(Callback.PATIENCE, patience);
    }

    @Override
    public Optional<Path> recordPath() {
        return answer(Callback.RECORD_PATH, Optional.empty());
    }

    @Override
    public Optional<URI> location(String runId) {
        return answer(Callback.LOCATION, Optional.empty());
    }

    @Override
    public Optional<TraceContext> traceContext(Place place) {
        return answer(Callback.TRACE_CONTEXT, Optional.empty());
    }

    @Override
    public Scope openScope(Place place) {
        return answer(Callback.OPEN_SCOPE, Scope.NONE);
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // null is what it is for
    private <T> T answer(Callback callback, T value) {
        called(callback);
        return answersNull ? null : value;
    }

    private void called(Callback callback) {
        calls.computeIfAbsent(callback, any -> new AtomicLong()).incrementAndGet();
        Fault fault = faults.getOrDefault(callback, () -> {});
        if (exclusive && callback != Callback.OPEN_SCOPE) {
            synchronized (this) {
                strike(fault);
            }
        } else {
            strike(fault);
        }
    }

    /** Throws what the fault throws, checked or not. */
    static void strike(Fault fault) {
        try {
            fault.strike();
        } catch (Throwable e) {
            HostileSink.<RuntimeException>rethrow(e);
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // generics are not known where it is thrown
    private static <E extends Throwable> void rethrow(Throwable error) throws E {
        throw (E) error;
    }
}
