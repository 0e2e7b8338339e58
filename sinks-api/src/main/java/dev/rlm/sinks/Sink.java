package dev.rlm.sinks;

import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.TraceContext;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Receives what happens in runs. Every method has a default that does nothing, so that a sink implements what it needs.
 *
 * <p><b>Threads.</b> Each sink has a queue and one thread of its own, its <i>lane</i>; except where a method says otherwise it
 * is called on that thread only, never by two at a time. So a sink needs no locks, and one that is slow or throws hurts
 * neither the runner nor another sink.
 *
 * <p><b>Order.</b> The events of a run come in the order of {@link dev.rlm.sinks.event.RunEvent#seq()}, save those that were
 * published in another, and the reward whose computation took time: it has its number from when that started. A gap that is
 * still there at the run's end is a loss. Any event may be missing, a start too, and a late reward may follow the end.
 *
 * <p><b>Errors.</b> What a method throws is caught, counted in the {@link Ledger} and logged at a low rate. A sink that fails
 * ten times in a row gets one event a minute until it takes one; the others are dropped. After an error that may have harmed
 * the thread, such as an {@link OutOfMemoryError} or a {@link LinkageError}, the sink goes on with a new thread; the fourth,
 * if they follow within ten minutes of each other, is its end.
 */
public interface Sink extends AutoCloseable {
    /** The time that a call may take unless a sink says otherwise. */
    Duration PATIENCE = Duration.ofSeconds(60);

    /** Any event. Hands it to the method for its kind; a sink that treats all alike overrides this one alone. */
    default void onEvent(Event event) {
        switch (event.type()) {
            case RUN_STARTED -> onRunStarted((RunStarted) event);
            case STEP_STARTED -> onStepStarted((StepStarted) event);
            case MODEL_CALLED -> onModelCalled((ModelCalled) event);
            case TOOL_CALLED -> onToolCalled((ToolCalled) event);
            case REWARD_GIVEN -> onRewardGiven((RewardGiven) event);
            case STEP_ENDED -> onStepEnded((StepEnded) event);
            case SPAN_RECORDED -> onSpanRecorded((SpanRecorded) event);
            case ARTIFACT_SAVED -> onArtifactSaved((ArtifactSaved) event);
            case HEARTBEAT -> onHeartbeat((Heartbeat) event);
            case METRICS_REPORTED -> onMetricsReported((MetricsReported) event);
            case STANDALONE_SPAN_RECORDED -> onStandaloneSpanRecorded((StandaloneSpanRecorded) event);
            case LEDGER_REPORTED -> onLedgerReported((LedgerReported) event);
            case RUN_ENDED -> onRunEnded((RunEnded) event);
        }
    }

    /** A run has started. */
    default void onRunStarted(RunStarted event) {}

    /** A step has started. */
    default void onStepStarted(StepStarted event) {}

    /** A model was called. */
    default void onModelCalled(ModelCalled event) {}

    /** A tool was called. */
    default void onToolCalled(ToolCalled event) {}

    /** A reward was given to a step or to the run, or could not be computed. */
    default void onRewardGiven(RewardGiven event) {}

    /** A step has ended. */
    default void onStepEnded(StepEnded event) {}

    /** A stretch of time that the user named has ended. */
    default void onSpanRecorded(SpanRecorded event) {}

    /** A file was kept. */
    default void onArtifactSaved(ArtifactSaved event) {}

    /** A run goes on. */
    default void onHeartbeat(Heartbeat event) {}

    /** Numbers that belong to no run were reported. */
    default void onMetricsReported(MetricsReported event) {}

    /** A stretch of time that the user named, and that lies in no run, has ended. */
    default void onStandaloneSpanRecorded(StandaloneSpanRecorded event) {}

    /** The state of all sinks was reported: only where this one {@linkplain #isDurable keeps the record}. */
    default void onLedgerReported(LedgerReported event) {}

    /** A run has ended. Steps that were open have ended before it. */
    default void onRunEnded(RunEnded event) {}

    /**
     * All that was queued has been handed over. A sink that writes in groups writes here: what was handed over since the last
     * time counts as delivered once this has returned, and as dropped where it throws, unless {@link #acknowledged()} tells.
     */
    default void onBatchEnd() {}

    /**
     * Makes a run, a step of it, or work in it, current on the calling thread, until the scope is closed on the same
     * thread. Called by the runner on any of its threads, possibly before the start's own event has arrived: it must
     * return at once, and so must the closing of the scope. Neither must ever wait for a lock: nothing can bound a call
     * on the runner's own thread, so one that hangs here before the hub knows that the sink hangs holds the runner up. It
     * is the one thing that a sink can do to a runner. A sink is not asked again once most of its calls have taken more
     * than a millisecond, and these at four moments or more a second in all.
     */
    default Scope openScope(Place place) {
        return Scope.NONE;
    }

    /**
     * The span there, the run's, the step's or the work's, as those are to know it who are to join its trace:
     * {@code traceparent} and {@code tracestate}. Baggage that it has is handed on too, else that of the run's own parent
     * is. The first sink that answers is heard. Called by the runner on any of its threads, possibly before the start's
     * own event has arrived or after the end's: it must return at once.
     */
    default Optional<TraceContext> traceContext(Place place) {
        return Optional.empty();
    }

    /**
     * Folder or file in which the sink keeps the record of its runs. That of the first sink that {@linkplain #isDurable
     * keeps the record}, else of the first sink that has one, is the {@link RunEnded#runPath()} of a run, from the run's
     * start on. Asked once, before the first event.
     */
    default Optional<Path> recordPath() {
        return Optional.empty();
    }

    /**
     * Address at which a person finds the run: a file, or a page. Called on any thread: it must return at once.
     */
    default Optional<URI> location(String runId) {
        return recordPath().map(Path::toUri);
    }

    /**
     * Values that the sink was given by its program and that must not be seen elsewhere, such as a back end's key: from
     * when it is added they count as secrets. Values of variables and properties whose names mark them as secret are
     * registered automatically. Asked once.
     */
    default Collection<String> secrets() {
        return List.of();
    }

    /**
     * Returns whether the sink has a place for events of such a kind, which is one of those that belong to no run: metrics
     * and spans. Events of a kind that it has none for are neither offered to it nor counted. Asked once for each kind.
     */
    default boolean accepts(EventType type) {
        return true;
    }

    /**
     * Returns whether a loss here is a loss of the record. The runner then waits for room in a full queue, 100 ms at the
     * most for each stall, before an event is dropped. Asked once.
     */
    default boolean isDurable() {
        return false;
    }

    /**
     * Time that one call on its lane may take before it counts as hanging; a flush and a close may take the time that
     * they are given besides. A sink that hangs is given up: its thread is interrupted, and what it had been handed and
     * not acknowledged counts as {@code hung}. The hub replaces it, once, if it has a factory; else its events are
     * dropped until the call comes back, if ever. Asked once.
     */
    default Duration patience() {
        return PATIENCE;
    }

    /**
     * Brings everything received so far to where it belongs.
     *
     * @param timeout how long it may take
     * @return whether all that came since the last flush is known to have arrived; what was lost before was told then,
     *     and stays in the {@link Ledger}
     */
    default boolean flush(Duration timeout) {
        return true;
    }

    /** Returns the sink's health. Called on any thread: it must return at once. */
    default Health status() {
        return Health.OK;
    }

    /**
     * Returns whether it could deliver now, found out by asking where it delivers to. What is asked must leave no trace
     * there. Called on a thread that is for this alone.
     *
     * @param timeout how long it may take
     */
    default Health check(Duration timeout) {
        return status();
    }

    /**
     * Returns the fate of the events received, for a sink that learns it later than in the call; {@code null} where an
     * event is delivered when its batch has ended ({@link #onBatchEnd()}). Called on any thread: it must return at once.
     */
    default @Nullable Acknowledged acknowledged() {
        return null;
    }

    /**
     * Says that it will be closed: within the time it must have handled what is queued, been flushed and been closed, and
     * what it cannot deliver by then it must give up. Called once, on any thread: it must return at once.
     */
    default void beginClose(Duration timeout) {}

    /** Frees what it holds. The last call; {@link #flush} came before. */
    @Override
    default void close() {}

    /**
     * Health of a sink.
     *
     * @param available whether it works as far as it knows
     * @param detail where it writes to, or why it does not work; one line without secrets
     * @param facts more of the same for a closer look: strings and numbers by name, in order
     */
    record Health(boolean available, String detail, Map<String, Object> facts) {
        static final Health OK = new Health(true, "");

        public Health {
            facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
        }

        public Health(boolean available, String detail) {
            this(available, detail, Map.of());
        }
    }

    /**
     * Fate of the events that a sink has received: counts since its start.
     *
     * @param delivered events that have arrived
     * @param dropped events that never will, by reason
     */
    record Acknowledged(long delivered, Map<String, Long> dropped) {
        public Acknowledged {
            dropped = Map.copyOf(dropped);
        }
    }
}
