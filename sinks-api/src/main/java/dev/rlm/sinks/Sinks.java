package dev.rlm.sinks;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.TraceContext;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The hub: takes what happens in runs and hands it to every sink, each on a thread of its own.
 *
 * <pre>{@code
 * try (Sinks sinks = Sinks.fromEnvironment()) {
 *     sinks.run(RunSpec.builder("my-env").task("What is 3 * 4?").build(), run -> {
 *         run.step("", step -> {
 *             step.action("calculator", "3 * 4");
 *             step.complete("12");
 *         });
 *         run.reward(1.0);
 *         run.complete("12");
 *     });
 * }
 * }</pre>
 *
 * <p>The hub itself is found by {@link java.util.ServiceLoader}, as a {@link HubProvider}: it comes with
 * {@code sinks-core}, which every sink module brings. Without it a hub records nothing, and says so once in the log.
 *
 * <p>Every method has a default that records nothing, so that a stand-in in a test needs those alone that it looks at.
 *
 * <p>Safe for use by several threads. Making a hub may throw a {@link SinkConfigException}; recording never throws.
 */
public interface Sinks extends AutoCloseable {
    /**
     * The sinks that this process's environment variables and system properties choose. They are closed when the process
     * ends, if not before.
     */
    static Sinks fromEnvironment() {
        return builder().config(SinkConfig.system()).closeAtShutdown().build();
    }

    /** The providers that the configuration can choose from, whether it chooses them or not. */
    static List<SinkProvider> providers(SinkConfig config) {
        return NoHub.orFound().providers(config);
    }

    /** Collects sinks by hand. */
    static Builder builder() {
        return NoHub.orFound().builder();
    }

    /** Starts a run. If no sink would hear of it, the handle is a shared one that does nothing. */
    default Run startRun(RunSpec spec) {
        return Run.NOOP;
    }

    /**
     * Does work as a run, which is {@linkplain Activity#current current} on this thread meanwhile. Where the work returns and has not
     * ended the run, that is complete; what it throws ends the run as {@link Run#leave} says, and is thrown on.
     *
     * @throws X what the work throws
     */
    default <X extends Exception> void run(RunSpec spec, Activity.Work<? super Run, X> work) throws X {
        this.<Boolean, X>call(spec, run -> {
            work.run(run);
            return true;
        });
    }

    /** {@link #run} with a result. */
    default <T extends @Nullable Object, X extends Exception> T call(
            RunSpec spec, Activity.Computation<? super Run, T, X> work) throws X {
        Run run = startRun(spec);
        return CurrentScope.call(run, work, run::leave);
    }

    /**
     * Gives a reward to a run of this hub, also after its end, as a person or a slow judge does. One that comes after the end
     * is in no total that the end carried.
     *
     * @param components what explains the value; they add nothing to it
     * @return whether the run is known here: it is open, or one of the last 4,096 that ended, fewer where their tasks or
     *     parameters are very long; else the reward is counted as dropped. To reward a run of another process {@link #publish}
     *     a {@link dev.rlm.sinks.event.RewardGiven} with the run as a journal tells it.
     */
    default boolean reward(String runId, String source, double value, List<RewardComponent> components) {
        return false;
    }

    /** Gives a reward to a run of this hub, also after its end, with its label, explanation, kind or range. */
    default boolean reward(String runId, String source, Reward reward) {
        return false;
    }

    /** Says that a reward of a run of this hub could not be computed, and why; also after its end. */
    default boolean rewardAbsent(String runId, String source, String reason) {
        return false;
    }

    /**
     * Reports numbers that describe training and belong to no run: a trainer's loss, an actor's steps a second, what an
     * evaluator found. They are told as they are at this moment.
     *
     * @param category {@code trainer}, {@code actor}, {@code evaluator} or {@code misc}, in any case. Numbers of another are
     *     {@code misc}, with its name before theirs, as in {@code critic/loss}
     * @param values by name. What is no number is left out; one of them must say how far training is: {@code timesteps},
     *     {@code policy_version}, {@code step}, {@code global_step} or {@code update}, of which the first in this order counts
     *     that is finite
     * @return whether they can be told; else they are counted as {@code invalid}
     * @see MetricsReported#EVALUATOR_VALUES
     */
    default boolean metrics(String category, Map<String, ?> values) {
        return false;
    }

    /**
     * Starts a span that lies in no run: a wait for a place, the start of an environment, a whole job. Spans may be started within
     * it; calls of models and tools belong to runs, and are counted as invalid in it. A run names it by
     * {@link dev.rlm.sinks.event.Correlation#jobSpan}. It is recorded when it is closed, or with the hub as failed.
     *
     * @see dev.rlm.sinks.event.StandaloneSpanRecorded
     */
    default Span span(String name) {
        return span(name, TraceContext.NONE);
    }

    /**
     * Starts such a span within the trace of work elsewhere, such as that of the request which this process answers. What stands in it joins
     * the trace too.
     *
     * @param parent what that work has handed down, see {@link TraceContext#from}: its span is the parent, its sampling holds and its
     *     baggage is handed on. What is not valid is left out; without a span there the trace is a new one
     */
    default Span span(String name, TraceContext parent) {
        return Span.NOOP;
    }

    /**
     * Hands over an event that was made elsewhere, with its own time and number. A run's events come in order, its start
     * first and its end last. Secrets are taken out of its strings, ids included; a {@link Content} in it is taken as it
     * is, and so is everything by a hub that {@linkplain Builder#resending resends}. A {@link LedgerReported} is counted
     * as invalid: what another hub has lost is in its record.
     */
    default void publish(Event event) {}

    /** Text for an event to be published, redacted as all other text is. */
    default Content content(String text) {
        return Content.of(text, unused -> Content.FAILED);
    }

    /** Text of an entry of that name, such as an attribute, for an event to be published: a mark where the name says that it is secret. */
    default Content content(String name, String text) {
        return content(text);
    }

    /** A value that from now on counts as a secret, wherever it stands in a text. Values under 6 characters do not. */
    default void registerSecret(String value) {}

    /**
     * Adds a sink. It hears of the runs that start from now on; those that go on stay with the sinks that there were at
     * their start. A hub that was closed closes it.
     *
     * @throws IllegalArgumentException if there is one of that name
     */
    default void add(String name, Sink sink) {}

    /**
     * Takes a sink away: it is given what is queued for it, flushed and closed, within five seconds. What comes for it
     * after that, of runs that go on, is counted as dropped. A hub that was closed keeps its sinks, as they stood then.
     *
     * @return whether there was one of that name
     */
    default boolean remove(String name) {
        return false;
    }

    /** The sink of that name. */
    default Optional<Sink> get(String name) {
        return Optional.empty();
    }

    /** The first sink of that type. */
    default <T> Optional<T> get(Class<T> type) {
        return Optional.empty();
    }

    /** The providers that were found for its configuration, whether that chooses them or not. */
    default List<SinkProvider> providers() {
        return List.of();
    }

    /** Returns the status of every sink, and of every provider that was found but gave none. */
    default List<SinkStatus> statuses() {
        return List.of();
    }

    /**
     * The same, of each sink as it finds out by {@linkplain Sink#check asking} where it delivers to. One that does not
     * answer in time is not available. A closed hub asks no sink.
     */
    default List<SinkStatus> check(Duration timeout) {
        return List.of();
    }

    /** Returns counts of what has been redacted so far, and of what could not be. */
    default RedactionCounts redactions() {
        return RedactionCounts.NONE;
    }

    /**
     * Folders and files in which sinks keep their record, by sink ({@link Sink#recordPath}). They are as they are: not
     * redacted.
     */
    default Map<String, Path> recordPaths() {
        return Map.of();
    }

    /**
     * Returns addresses at which a person finds the run, by sink; without secrets, and without what is no address without
     * them.
     */
    default Map<String, URI> locations(String runId) {
        return Map.of();
    }

    /**
     * Waits until no durable sink ({@link Sink#isDurable}) has more than half of its queue before it. For a program that
     * can record faster than a disk can write, and can wait: before it starts a run, not in one.
     *
     * @return whether that came about within the time
     */
    default boolean awaitRoom(Duration timeout) {
        return false;
    }

    /**
     * Brings all that was recorded so far to where it belongs, and says of each sink whether it is known to be there. At
     * one that was chosen and could not be made, nothing is.
     */
    default FlushResult flush(Duration timeout) {
        return FlushResult.NO_SINKS;
    }

    /**
     * The same of the durable sinks ({@link Sink#isDurable}) alone: for who has to know that the record is safe and must
     * not wait for a back end. The answer names these sinks and no others.
     */
    default FlushResult flushDurable(Duration timeout) {
        return flush(timeout);
    }

    /** {@link #close(Duration)} within five seconds. */
    @Override
    default void close() {}

    /**
     * Aborts the runs that are open, brings everything to where it belongs and closes the sinks. What a sink has not
     * managed within the time is left behind, and said so in the log. Further calls only wait, within their own time,
     * for the first: so the process does not end under it.
     */
    default void close(Duration timeout) {}

    /** Collects what a hub is made of. */
    interface Builder {
        /** Uses the providers that are found, as the configuration chooses. */
        Builder config(SinkConfig value);

        /** Of the providers that are found uses those of the given names, whatever the configuration chooses. */
        Builder only(List<String> names);

        /** Adds a sink. */
        Builder add(String name, Sink sink);

        /**
         * Adds a sink with its factory, which is called when the hub is made, and once more, on another thread, should
         * the sink hang. A sink that cannot be made becomes a status.
         */
        Builder add(String name, Supplier<Sink> factory);

        /** Adds a secret: see {@link Sinks#registerSecret}. */
        Builder secret(String value);

        /** Adds one who finds secrets, besides those that are found on the class path and among the plug-ins. */
        Builder redactor(Redactor redactor);

        /** Leaves secrets as they are. */
        Builder withoutRedaction();

        /**
         * Sets the interval at which each open run is said to go on ({@link dev.rlm.sinks.event.Heartbeat}), also while
         * its own threads hang; zero for never. Over {@code RLM_HEARTBEAT}; 30 seconds where neither is given.
         */
        Builder heartbeat(Duration interval);

        /**
         * Closes the hub when the process ends, if it has not been closed before: together with all others that asked for
         * it, and within five seconds. Its open runs are then aborted.
         */
        Builder closeAtShutdown();

        /**
         * Makes a hub for events that were recorded earlier ({@link Sinks#publish}). Where a sink has no room such a hub
         * waits, until it is closed or the thread is interrupted, and drops nothing; sinks learn of it by
         * {@link SinkConfig#isResending}, and make no measurements; those that keep the record are used only where they
         * are named. Not for live runs: a dead back end would hold them up, and their time limits are not enforced.
         */
        Builder resending();

        /** {@link #resending()}, and measures the events again: what was counted when they first came then doubles. */
        Builder resendingAndMeasuring();

        /**
         * {@link #resending()} of what died on its way with a process, including ends of its runs that no process has
         * told yet: sinks learn of it by {@link SinkConfig#isRecovering}.
         */
        Builder recovering();

        /**
         * {@link #resending()} of events that were recorded elsewhere and come here for the first time: sinks that keep
         * the record are used as all others are.
         */
        Builder importing();

        /**
         * Tells the time by other clocks: wall-clock time, and nanoseconds that never step back. The bounds of waiting
         * for a sink that keeps the record, and of its patience, pass by them too: one that stands still bounds nothing.
         */
        Builder clocks(InstantSource wallClock, LongSupplier nanoseconds);

        /**
         * Makes the hub and its sinks.
         *
         * @throws SinkConfigException if a setting cannot be used
         */
        Sinks build();
    }
}
