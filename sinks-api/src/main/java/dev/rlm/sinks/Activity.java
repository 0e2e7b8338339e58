package dev.rlm.sinks;

import dev.rlm.sinks.event.TraceContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something that goes on, can be current on a thread and has calls in it: a run, a step, a span or the computation of a
 * reward. Safe for use by several threads; no method throws.
 *
 * <p>Code that is called somewhere in an agent records where it belongs, without being handed anything:
 *
 * <pre>{@code
 * try (ToolCall call = Activity.current().startToolCall("search")) {
 *     call.arguments(query);
 *     call.result(search(query));
 * }
 * }</pre>
 *
 * <p>Every method of a recording interface has a default that records nothing, so that a stand-in in a test needs those
 * alone that it looks at.
 */
public interface Activity {
    /**
     * Returns the activity that was made current last on this thread and still is; one that records nothing where there
     * is none. A step is told apart by {@code instanceof}.
     */
    static Activity current() {
        return CurrentScope.activity();
    }

    /**
     * Returns whether anybody may hear of what is recorded in it. Where not, nothing that only recording needs is worth
     * computing.
     */
    default boolean isRecording() {
        return false;
    }

    /** Starts a span of that name in it, such as a phase of a pipeline. */
    default Span span(String name) {
        return span(name, Duration.ZERO);
    }

    /**
     * Starts a span that began some time ago, of what is worth recording only once it has lasted. What was recorded meanwhile lies
     * beside it.
     *
     * @param ago how long ago; in a run counts no further back than to its start
     */
    default Span span(String name, Duration ago) {
        return Span.NOOP;
    }

    /** Starts recording a call of a tool in it. */
    default ToolCall startToolCall(String tool) {
        return ToolCall.NOOP;
    }

    /** Starts recording a call of a model in it. */
    default ModelCall startModelCall(String provider, String model) {
        return ModelCall.NOOP;
    }

    /**
     * Keeps a file with it as it is now, by its name and its bytes without secrets; a symbolic link is not followed. It is read
     * before this returns, {@code RLM_ARTIFACT_SIZE} at the most: of one that is larger, or cannot be read, the record tells why.
     */
    default void artifact(Path file) {}

    /** Keeps a copy of the bytes with it, as a file of that name. */
    default void artifact(String name, String mediaType, byte[] bytes) {}

    /**
     * Returns the context to hand to work that it starts elsewhere, so that it joins the trace: to be put into the
     * {@linkplain TraceContext#toMap headers} of a request or the {@linkplain TraceContext#toEnvironment environment} of
     * a process. Where no sink traces it is the run's id alone, with what the run's own parent has handed down. Empty
     * if no sink hears of the run.
     *
     * @see RunSpec.Builder#parent
     */
    default Optional<TraceContext> traceContext() {
        return Optional.empty();
    }

    /**
     * Makes it current on this thread: for its log, for {@link #current} and for the sinks that have such a notion. See
     * {@link Scope}.
     */
    default Scope makeCurrent() {
        return Scope.NONE;
    }

    /**
     * Work that is recorded.
     *
     * @param <A> the handle that records it: a {@link Run} or a {@link Step}
     * @param <X> what it may throw
     */
    @FunctionalInterface
    interface Work<A, X extends Exception> {
        void run(A handle) throws X;
    }

    /** {@link Work} with a result. */
    @FunctionalInterface
    interface Computation<A, T extends @Nullable Object, X extends Exception> {
        T call(A handle) throws X;
    }
}
