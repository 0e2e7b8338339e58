package dev.rlm.sinks.lane;

import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sink.Acknowledged;
import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A sink of which nothing that it throws gets out. */
final class GuardedSink {
    private final Sink sink;
    private final QuietLog log;

    GuardedSink(Sink sink, QuietLog log) {
        this.sink = sink;
        this.log = log;
    }

    Sink unguarded() {
        return sink;
    }

    /** Whether the sink has taken the event. */
    boolean deliver(Event event) {
        return guarded("onEvent", false, () -> {
            sink.onEvent(event);
            return true;
        });
    }

    void batchEnd() {
        guarded("onBatchEnd", false, () -> {
            sink.onBatchEnd();
            return true;
        });
    }

    Scope openScope(RunInfo run, @Nullable StepStarted step) {
        Scope scope = guarded("openScope", Scope.NONE, () -> given(sink.openScope(run, step)));
        return scope == Scope.NONE
                ? scope
                : () -> guarded("closing a scope", false, () -> {
                    scope.close();
                    return true;
                });
    }

    Optional<TraceContext> traceContext(RunInfo run, @Nullable StepStarted step) {
        return guarded("traceContext", Optional.empty(), () -> given(sink.traceContext(run, step)));
    }

    Optional<URI> location(String runId) {
        return guarded("location", Optional.empty(), () -> given(sink.location(runId)));
    }

    boolean isDurable() {
        return guarded("isDurable", false, sink::isDurable);
    }

    boolean flush(Duration timeout) {
        return guarded("flush", false, () -> sink.flush(timeout));
    }

    Health status() {
        return guarded("status", new Health(false, "its status could not be asked"), () -> given(sink.status()));
    }

    Health check(Duration timeout) {
        return guarded("check", new Health(false, "its check failed"), () -> given(sink.check(timeout)));
    }

    void beginClose(Duration timeout) {
        guarded("beginClose", false, () -> {
            sink.beginClose(timeout);
            return true;
        });
    }

    /** Empty where an event is delivered when it is taken; where the sink fails to answer, nothing is known to be. */
    Optional<Acknowledged> acknowledged() {
        Optional<Acknowledged> unknown = Optional.of(new Acknowledged(0, Map.of()));
        return guarded("acknowledged", unknown, () -> Optional.ofNullable(sink.acknowledged()));
    }

    void close() {
        guarded("close", false, () -> {
            sink.close();
            return true;
        });
    }

    @SuppressWarnings("CatchThrowable") // a sink may throw anything
    private <T> T guarded(String what, T fallback, Supplier<T> call) {
        try {
            return call.get();
        } catch (Throwable e) {
            log.warn(what + ":" + e.getClass().getName(), what + " failed: " + description(e));
            return fallback;
        }
    }

    /** What an error says of itself, for one that may even fail to do so. */
    private static String description(Throwable error) {
        try {
            return error.toString();
        } catch (RuntimeException e) {
            return error.getClass().getName();
        }
    }

    /** A sink need not have been compiled with a check for null. */
    private static <T> T given(T answer) {
        return Objects.requireNonNull(answer, "it answered null");
    }
}
