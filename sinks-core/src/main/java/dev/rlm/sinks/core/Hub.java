package dev.rlm.sinks;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.lane.Lanes;
import dev.rlm.sinks.redaction.Redaction;
import dev.rlm.sinks.redaction.RedactionCounts;
import dev.rlm.sinks.redaction.Redactor;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The hub: takes what happens in runs and hands it to every sink, each on a thread of its own.
 *
 * <pre>{@code
 * try (Sinks sinks = Sinks.fromEnvironment();
 *         Run run = sinks.startRun(RunSpec.builder("my-env").task("What is 3 * 4?").build())) {
 *     try (Step step = run.startStep()) {
 *         step.action("calculator", "3 * 4");
 *         step.complete("12");
 *     }
 *     run.reward(1.0);
 *     run.complete("12");
 * }
 * }</pre>
 *
 * <p>Safe for use by several threads. Making a hub may throw a {@link SinkConfigException}; recording never throws.
 */
public final class Sinks implements AutoCloseable {
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final Duration HEARTBEAT = Duration.ofSeconds(30);

    private final Redaction redaction;
    private final UnaryOperator<String> redactText; // one for all: each text would have 16 bytes of its own
    private final Doors doors;
    private final Introductions introductions;
    private final @Nullable PublishedEvents published; // null where text is as it was recorded, and must stay so
    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private final Lanes lanes;
    private final Ticker ticker = new Ticker();
    private final List<SinkStatus> others;
    private final List<SinkProvider> providers;
    private final KnownRuns runs = new KnownRuns();
    private final boolean keepsTime;
    private final CountDownLatch closing = new CountDownLatch(1); // open when closing is over
    private volatile boolean closed;

    private Sinks(Builder builder) {
        SinkConfig config = builder.config;
        Duration heartbeat = builder.heartbeat(config);
        boolean redact = builder.redact && (config == null || config.shared().bool("RLM_REDACT", true));
        redaction = RedactionSetup.of(config == null ? SinkConfig.system() : config, redact, builder.redactors);
        redactText = redaction::text;
        builder.secrets.forEach(this::registerSecret);
        redaction.prepare();
        doors = new Doors(redaction, run -> run);
        introductions = new Introductions(redaction, doors, builder.rollout());
        published = builder.resending && !builder.importing ? null : new PublishedEvents(redaction);
        clock = builder.clock;
        nanoTime = builder.nanoTime;
        lanes = new Lanes(redaction::text, clock, nanoTime, builder.resending);
        keepsTime = !builder.resending; // where recording may wait for ever, the timer cannot take part
        Selection selection = select(builder);
        others = selection.others();
        providers = List.copyOf(selection.providers());
        selection.sinks().values().forEach(this::registerSecretsOf);
        selection
                .sinks()
                .forEach((name, sink) ->
                        lanes.add(name, sink, discreet(selection.factories().get(name))));
        builder.sinks.forEach(this::add);
        ticker.every(TICK, lanes::tick);
        if (keepsTime && !heartbeat.isZero()) {
            runs.beat(heartbeat, ticker);
        }
        if (builder.shutdownHook) {
            ShutdownHook.add(this);
        }
    }

    /** The time that the run and its steps may take; {@code null} where they may take any. */
    @Nullable
    Deadline deadline(LiveRun run, RunSpec spec) {
        return keepsTime ? Deadline.of(spec, run, ticker) : null;
    }

    private Selection select(Builder builder) {
        try {
            Selection selection = new Selection(redaction::text);
            if (builder.config != null) {
                selection.choose(builder.purposeful(builder.config), builder.only, builder.names());
            }
            builder.factories.forEach(selection::make);
            return selection;
        } catch (SinkConfigException e) {
            throw RedactionSetup.redacted(e, redaction);
        }
    }

    /**
     * The sinks that this process's environment variables and system properties choose. They are closed when the process
     * ends, if not before.
     */
    public static Sinks fromEnvironment() {
        return builder().config(SinkConfig.system()).closeAtShutdown().build();
    }

    /** The providers that the configuration can choose from, whether it chooses them or not. */
    public static List<SinkProvider> providers(SinkConfig config) {
        return List.copyOf(Providers.discover(config).byName().values());
    }

    /** Collects sinks by hand. */
    public static Builder builder() {
        return new Builder();
    }

    /** Starts a run. Where nobody would hear of it, the handle is a shared one that does nothing. */
    public Run startRun(RunSpec spec) {
        if (closed) {
            lanes.refuseClosed();
        }
        if (closed || lanes.isEmpty()) {
            return NoRun.INSTANCE;
        }
        Instant startedAt = clock.instant();
        long origin = nanoTime(); // beside the other clock: what is between the two readings is missing in every time
        RunInfo info = introductions.of(spec, startedAt);
        LiveRun run = new LiveRun(this, info, lanes.forRun(), origin, spec);
        runs.started(run); // before its start, so that a close at this moment either ends it or keeps it from starting
        if (closed) {
            run.close();
        }
        run.start();
        return run;
    }

    /**
     * Gives a reward to a run of this hub, also after its end, as a person or a slow judge does. One that comes after the
     * end is in no total that the end carried.
     *
     * @param components what explains the value; they add nothing to it
     * @return whether the run is known here: it is open, or one of the last 4,096 that ended, fewer where their tasks or
     *     parameters are very long; else the reward is counted as dropped. To reward a run of another process {@link #publish} a
     *     {@link dev.rlm.sinks.event.RewardGiven} with the run as a journal tells it.
     */
    public boolean reward(String runId, String source, double value, List<RewardComponent> components) {
        return give(runId, run -> run.rewardAtAnyTime(source, value, null, components));
    }

    /** Says that a reward of a run of this hub could not be computed, and why; likewise also after its end. */
    public boolean rewardAbsent(String runId, String source, String reason) {
        return give(runId, run -> run.rewardAtAnyTime(source, Double.NaN, LiveRun.absence(reason), List.of()));
    }

    private boolean give(String runId, Consumer<LiveRun> reward) {
        if (closed) {
            lanes.refuseClosed();
            return false;
        }
        Optional<LiveRun> run = runs.find(redaction.name(runId));
        run.ifPresentOrElse(reward, () -> lanes.refuse("unknown_run"));
        return run.isPresent();
    }

    /**
     * Reports numbers that describe training and belong to no run: a trainer's loss, an actor's steps a second, what an
     * evaluator found. They are told as they are at this moment.
     *
     * @param category {@code trainer}, {@code actor}, {@code evaluator} or {@code misc}
     * @param values by name. What is no number is left out; one of them must say how far training is:
     *     {@code timesteps}, {@code policy_version}, {@code step}, {@code global_step} or {@code update}, of which the first
     *     in this order counts that is finite
     * @return whether they can be told; else they are counted as {@code invalid}
     * @see MetricsReported#EVALUATOR_VALUES
     */
    public boolean metrics(String category, Map<String, ?> values) {
        Optional<MetricsReported> event = TrainingMetrics.event(clock.instant(), category, values);
        event.ifPresentOrElse(this::publish, () -> lanes.refuse("invalid"));
        return event.isPresent();
    }

    /**
     * Hands over an event that was made elsewhere, with its own time and number. A run's events come in order, its start
     * first and its end last. Secrets are taken out of its strings, ids included; a {@link Content} in it is taken as it is,
     * and so is everything by a hub that {@linkplain Builder#resending resends}. A
     * {@link LedgerReported} is counted as invalid: what another hub has lost is in its record.
     */
    public void publish(Event event) {
        if (closed) {
            lanes.refuseClosed();
        } else if (event instanceof LedgerReported) {
            lanes.refuse("invalid");
        } else {
            publishClean(event);
        }
    }

    private void publishClean(Event event) {
        Event clean;
        try {
            clean = published == null ? event : published.clean(event);
        } catch (RuntimeException e) {
            lanes.refuse("invalid");
            return;
        }
        lanes.publish(clean);
    }

    /** Text for an event to be published, redacted as all other text is. */
    public Content content(String text) {
        return Content.of(text, redactText);
    }

    /** A value that from now on counts as a secret, wherever it stands in a text. Values under 6 characters do not. */
    public void registerSecret(String value) {
        redaction.register(Redaction.REGISTERED, value);
    }

    /**
     * Adds a sink. It hears of the runs that start from now on; those that go on stay with the sinks that there were at
     * their start. A hub that was closed closes it.
     *
     * @throws IllegalArgumentException if there is one of that name
     */
    public void add(String name, Sink sink) {
        registerSecretsOf(sink);
        lanes.add(name, sink, null);
    }

    /** Makes a sink anew, whose secrets are known before anybody hears of it. */
    private @Nullable Supplier<Sink> discreet(@Nullable Supplier<Sink> factory) {
        return factory == null
                ? null
                : () -> {
                    Sink made = factory.get();
                    registerSecretsOf(made);
                    return made;
                };
    }

    @SuppressWarnings("CatchThrowable") // a sink may throw anything, and a factory may have given none
    private void registerSecretsOf(Sink sink) {
        try {
            sink.secrets().forEach(this::registerSecret);
        } catch (Throwable e) {
            // it is none of ours to say: what it is called for later tells
        }
    }

    /**
     * Takes a sink away: it is given what is queued for it, flushed and closed, within five seconds. What comes for it
     * after that, of runs that go on, is counted as dropped. A hub that was closed keeps its sinks, as they stood then.
     *
     * @return whether there was one of that name
     */
    public boolean remove(String name) {
        return !closed && lanes.remove(name, CLOSE_TIMEOUT);
    }

    /** The sink of that name. */
    public Optional<Sink> get(String name) {
        return lanes.sink(name);
    }

    /** The first sink of that type. */
    public <T> Optional<T> get(Class<T> type) {
        return lanes.sinks().filter(type::isInstance).map(type::cast).findFirst();
    }

    /** The providers that were found for its configuration, whether that chooses them or not. */
    public List<SinkProvider> providers() {
        return providers;
    }

    /** How every sink stands, and every provider that was found but gave none. */
    public List<SinkStatus> statuses() {
        return redacted(lanes.statuses());
    }

    /**
     * The same, of each sink as it finds out by {@linkplain Sink#check asking} where it delivers to. One that does not
     * answer in time is not available. A hub that was closed asks nobody.
     */
    public List<SinkStatus> check(Duration timeout) {
        return closed ? statuses() : redacted(lanes.check(timeout));
    }

    private List<SinkStatus> redacted(List<SinkStatus> statuses) {
        return Stream.concat(statuses.stream(), others.stream())
                .map(this::redacted)
                .toList();
    }

    private SinkStatus redacted(SinkStatus status) {
        return new SinkStatus(
                status.name(),
                status.enabled(),
                status.available(),
                Content.wellFormed(redaction.text(status.detail())),
                status.ledger(),
                redaction.facts(status.facts()),
                status.retained());
    }

    /** What has been redacted so far, and what could not be. */
    public RedactionCounts redactions() {
        return redaction.counts();
    }

    /**
     * Folders and files in which sinks keep their record, by sink ({@link Sink#recordPath}). They are as they are: not
     * redacted.
     */
    public Map<String, Path> recordPaths() {
        return lanes.recordPaths();
    }

    /** Where a person finds the run, by sink; without secrets, and without what is no address without them. */
    public Map<String, URI> locations(String runId) {
        Map<String, URI> clean = new LinkedHashMap<>();
        lanes.locations(redaction.name(runId))
                .forEach((name, place) -> doors.clean(place).ifPresent(known -> clean.put(name, known)));
        return clean;
    }

    /**
     * Waits until no durable sink ({@link Sink#isDurable}) has more than half of its queue before it. For a program that
     * can record faster than a disk can write, and can wait: before it starts a run, not in one.
     *
     * @return whether that came about within the time
     */
    public boolean awaitRoom(Duration timeout) {
        return lanes.awaitRoom(timeout);
    }

    /**
     * Brings all that was recorded so far to where it belongs, and says of each sink whether it is known to be there. At one
     * that was chosen and could not be made, nothing is.
     */
    public FlushResult flush(Duration timeout) {
        SortedMap<String, Boolean> arrived = new TreeMap<>();
        others.stream().filter(SinkStatus::enabled).forEach(missing -> arrived.put(missing.name(), false));
        arrived.putAll(lanes.flush(timeout).sinks());
        return new FlushResult(arrived);
    }

    /**
     * The same of the durable sinks ({@link Sink#isDurable}) alone: for who has to know that the record is safe and must
     * not wait for a back end. The answer names these sinks and no others.
     */
    public FlushResult flushDurable(Duration timeout) {
        return lanes.flushDurable(timeout);
    }

    /** {@link #close(Duration)} within five seconds. */
    @Override
    public void close() {
        close(CLOSE_TIMEOUT);
    }

    /**
     * Aborts the runs that are open, brings everything to where it belongs and closes the sinks. What a sink has not
     * managed within the time is left behind, and said so in the log. Further calls only wait, within their own time,
     * for the first: so the process does not end under it.
     */
    public void close(Duration timeout) {
        close(timeout, "the sinks were closed");
    }

    /** {@link #close(Duration)} by a process that ends. */
    void closeAtExit(Duration timeout) {
        close(timeout, "the process ended before the run");
    }

    private void close(Duration timeout, String reason) {
        long by = System.nanoTime() + timeout.toNanos();
        if (!markClosed()) {
            awaitClosed(by);
            return;
        }
        try {
            abortOpenRuns(reason, by - timeout.toNanos() * 3 / 4); // the rest is for the sinks
            lanes.close(Duration.ofNanos(Math.max(0, by - System.nanoTime())));
        } finally {
            closing.countDown();
            ticker.close();
            ShutdownHook.remove(this);
        }
    }

    /** A run whose lock nobody gives back is left as it is. */
    private void abortOpenRuns(String reason, long by) {
        runs.open().forEach(run -> run.abort(reason, Math.max(0, by - System.nanoTime())));
    }

    private void awaitClosed(long by) {
        try {
            var unused = closing.await(by - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether it was open until now. */
    private synchronized boolean markClosed() {
        boolean wasOpen = !closed;
        closed = true;
        return wasOpen;
    }

    boolean isClosed() {
        return closed;
    }

    void ended(LiveRun run) {
        runs.ended(run);
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    Doors doors() {
        return doors;
    }

    Redaction redaction() {
        return redaction;
    }

    /** Collects what a hub is made of. */
    public static final class Builder {
        private final Map<String, Sink> sinks = new LinkedHashMap<>();
        private final Map<String, Supplier<Sink>> factories = new LinkedHashMap<>();
        private final List<String> secrets = new ArrayList<>();
        private final List<Redactor> redactors = new ArrayList<>();
        private @Nullable SinkConfig config;
        private @Nullable List<String> only;
        private boolean redact = true;
        private boolean shutdownHook;
        private boolean resending;
        private boolean measuring;
        private boolean importing;
        private boolean recovering;
        private @Nullable Duration heartbeat;
        private InstantSource clock = InstantSource.system();
        private LongSupplier nanoTime = System::nanoTime;

        private Builder() {}

        /** Uses the providers that are found, as the configuration chooses. */
        public Builder config(SinkConfig value) {
            config = value;
            return this;
        }

        /** Of the providers that are found uses those of the given names, whatever the configuration chooses. */
        public Builder only(List<String> names) {
            only = List.copyOf(names);
            return this;
        }

        /** Adds a sink. */
        public Builder add(String name, Sink sink) {
            checkFree(name);
            sinks.put(name, sink);
            return this;
        }

        /**
         * Adds a sink that can be made anew: once when the hub is made, and once more, on another thread, should it hang.
         * One that cannot be made becomes a status.
         */
        public Builder add(String name, Supplier<Sink> factory) {
            checkFree(name);
            factories.put(name, factory);
            return this;
        }

        private void checkFree(String name) {
            if (names().contains(name)) {
                throw new IllegalArgumentException("there is a sink named '" + name + "' already");
            }
        }

        private Set<String> names() {
            Set<String> names = new HashSet<>(sinks.keySet());
            names.addAll(factories.keySet());
            return names;
        }

        /** Adds a secret: see {@link Sinks#registerSecret}. */
        public Builder secret(String value) {
            secrets.add(value);
            return this;
        }

        /** Adds one who finds secrets, besides those that are found on the class path and among the plug-ins. */
        public Builder redactor(Redactor redactor) {
            redactors.add(redactor);
            return this;
        }

        /** Leaves secrets as they are. */
        public Builder withoutRedaction() {
            redact = false;
            return this;
        }

        /**
         * How often each open run is said to go on ({@link dev.rlm.sinks.event.Heartbeat}), also while its own threads
         * hang; zero for never. Over {@code RLM_HEARTBEAT}; 30 seconds where neither is given.
         */
        public Builder heartbeat(Duration interval) {
            if (interval.isNegative()) {
                throw new IllegalArgumentException("the heartbeat's interval must not be negative, was " + interval);
            }
            heartbeat = interval;
            return this;
        }

        private Duration heartbeat(@Nullable SinkConfig values) {
            if (heartbeat != null || values == null) {
                return heartbeat == null ? HEARTBEAT : heartbeat;
            }
            return values.shared().duration("RLM_HEARTBEAT", HEARTBEAT);
        }

        /**
         * Closes the hub when the process ends, if it has not been closed before: together with all others that asked for
         * it, and within five seconds. Its open runs are then aborted.
         */
        public Builder closeAtShutdown() {
            shutdownHook = true;
            return this;
        }

        /**
         * Makes a hub for events that were recorded earlier ({@link Sinks#publish}). Where a sink has no room such a hub
         * waits, until it is closed or the thread is interrupted, and drops nothing; sinks learn of it by
         * {@link SinkConfig#isResending}, and make no measurements; those that keep the record are used only where they
         * are named. Not for live runs: a dead back end would hold them up, and nobody watches over their time.
         */
        public Builder resending() {
            resending = true;
            return this;
        }

        /** {@link #resending()}, and measures the events again: what was counted when they first came then doubles. */
        public Builder resendingAndMeasuring() {
            measuring = true;
            return resending();
        }

        /**
         * {@link #resending()} of what died on its way with a process, run ends included that nobody else has told:
         * sinks learn of it by {@link SinkConfig#isRecovering}.
         */
        public Builder recovering() {
            recovering = true;
            return resending();
        }

        /**
         * {@link #resending()} of events that were recorded elsewhere and come here for the first time: sinks that keep
         * the record are used as all others are.
         */
        public Builder importing() {
            importing = true;
            return resending();
        }

        /** The rollout that all runs of the process are attempts at, where it is one's alone. */
        private @Nullable String rollout() {
            return config == null
                    ? null
                    : config.shared().string("EP_ROLLOUT_ID").orElse(null);
        }

        private SinkConfig purposeful(SinkConfig value) {
            if (importing || recovering) {
                return importing ? value.importing() : value.recovering();
            }
            return resending ? value.resending(measuring) : value;
        }

        /**
         * Tells the time by other clocks: wall-clock time, and nanoseconds that never step back. The bounds of waiting for
         * a sink that keeps the record, and of its patience, pass by them too: one that stands still bounds nothing.
         */
        public Builder clocks(InstantSource wallClock, LongSupplier nanoseconds) {
            clock = wallClock;
            nanoTime = nanoseconds;
            return this;
        }

        /**
         * Makes the hub and its sinks.
         *
         * @throws SinkConfigException if a setting cannot be used
         */
        public Sinks build() {
            return new Sinks(this);
        }
    }
}
