package dev.rlm.sinks.core;

import dev.rlm.sinks.FlushResult;
import dev.rlm.sinks.RedactionCounts;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.core.content.ArtifactReader;
import dev.rlm.sinks.core.content.ModelPrices;
import dev.rlm.sinks.core.content.PublishedEvents;
import dev.rlm.sinks.core.content.RecordRedactor;
import dev.rlm.sinks.core.content.RunInfos;
import dev.rlm.sinks.core.lane.Lanes;
import dev.rlm.sinks.core.lane.QueueBounds;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.redaction.Redaction;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Hub of sinks: runs record into it, and it hands their events to a lane for each sink. */
final class Hub implements Sinks {
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration TICK = Duration.ofSeconds(1);

    private final Redaction redaction;
    private final RunContext context;
    private final RunInfos infos;
    private final @Nullable PublishedEvents published; // null where text is as it was recorded, and must stay so
    private final InstantSource clock;
    private final Lanes lanes;
    private final Ticker ticker = new Ticker();
    private final List<SinkStatus> others;
    private final List<SinkProvider> providers;
    private final KnownRuns runs = new KnownRuns();
    private final StandaloneSpans spans;
    private final CountDownLatch closing = new CountDownLatch(1); // open when closing is over

    Hub(HubBuilder builder) {
        SinkConfig config = builder.config;
        Duration heartbeat = builder.heartbeat();
        boolean redact = builder.redact && (config == null || config.shared().bool("RLM_REDACT", true));
        redaction = RedactionSetup.of(config == null ? SinkConfig.system() : config, redact, builder.redactors);
        builder.secrets.forEach(this::registerSecret);
        redaction.prepare();
        RecordRedactor records = new RecordRedactor(redaction, run -> run);
        infos = new RunInfos(redaction, records, builder.rollout());
        ArtifactReader files = new ArtifactReader(redaction, config);
        ModelPrices prices = ModelPrices.of(config);
        published = builder.resending && !builder.importing ? null : new PublishedEvents(redaction, files, prices);
        clock = builder.clock;
        context =
                new RunContext(redaction, records, files, prices, builder.nanoTime, builder.resending ? null : ticker);
        lanes = new Lanes(
                redaction::text,
                clock,
                builder.nanoTime,
                builder.resending ? QueueBounds.WAITING : QueueBounds.of(config),
                !builder.resending || builder.importing); // what is sent again has a ledger of its own
        spans = new StandaloneSpans(context, clock, lanes);
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
        if (!builder.resending && !heartbeat.isZero()) {
            runs.beat(heartbeat, ticker);
        }
        if (builder.shutdownHook) {
            ShutdownHook.add(this);
        }
    }

    private Selection select(HubBuilder builder) {
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

    @Override
    public Run startRun(RunSpec spec) {
        if (context.isClosed()) {
            lanes.refuseClosed();
        }
        if (context.isClosed() || lanes.isEmpty()) {
            return Run.NOOP;
        }
        Instant startedAt = clock.instant();
        long origin =
                context.nanoTime(); // beside the other clock: what is between the two readings is missing in every time
        RunInfo info = infos.of(spec, startedAt);
        LiveRun run = new LiveRun(context, runs, info, lanes.forRun(), origin, spec);
        runs.started(run); // before its start, so that a close at this moment either ends it or keeps it from starting
        if (context.isClosed()) {
            run.close();
        }
        run.start();
        return run;
    }

    @Override
    public boolean reward(String runId, String source, double value, List<RewardComponent> components) {
        return give(runId, run -> run.rewardAtAnyTime(source, value, null, components, null));
    }

    @Override
    public boolean reward(String runId, String source, Reward reward) {
        Reward given = RunRecorder.orAbsent(reward);
        return give(runId, run -> run.rewardAtAnyTime(source, given.value(), null, given.components(), given));
    }

    @Override
    public boolean rewardAbsent(String runId, String source, String reason) {
        return give(
                runId, run -> run.rewardAtAnyTime(source, Double.NaN, RunRecorder.absence(reason), List.of(), null));
    }

    private boolean give(String runId, Consumer<RunRecorder> reward) {
        if (context.isClosed()) {
            lanes.refuseClosed();
            return false;
        }
        Optional<RunRecorder> run = runs.find(redaction.name(runId));
        run.ifPresentOrElse(reward, () -> lanes.refuse("unknown_run"));
        return run.isPresent();
    }

    @Override
    public boolean metrics(String category, Map<String, ?> values) {
        Optional<MetricsReported> event = TrainingMetrics.event(clock.instant(), category, values);
        event.ifPresentOrElse(this::publish, () -> lanes.refuse("invalid"));
        return event.isPresent();
    }

    @Override
    public Span span(String name, TraceContext parent) {
        return spans.start(name, parent);
    }

    @Override
    public void publish(Event event) {
        if (context.isClosed()) {
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

    @Override
    public Content content(String text) {
        return context.content(text);
    }

    @Override
    public Content content(String name, String text) {
        return Content.of(text, raw -> redaction.text(name, raw));
    }

    @Override
    public void registerSecret(String value) {
        redaction.register(Redaction.REGISTERED, value);
    }

    @Override
    public void add(String name, Sink sink) {
        registerSecretsOf(sink);
        lanes.add(name, sink, null);
    }

    /** Returns a factory that registers the secrets of each sink that it makes; {@code null} for {@code null}. */
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

    @Override
    public boolean remove(String name) {
        return !context.isClosed() && lanes.remove(name, CLOSE_TIMEOUT);
    }

    @Override
    public Optional<Sink> get(String name) {
        return lanes.sink(name);
    }

    @Override
    public <T> Optional<T> get(Class<T> type) {
        return lanes.sinks().filter(type::isInstance).map(type::cast).findFirst();
    }

    @Override
    public List<SinkProvider> providers() {
        return providers;
    }

    @Override
    public List<SinkStatus> statuses() {
        return redacted(lanes.statuses());
    }

    @Override
    public List<SinkStatus> check(Duration timeout) {
        return context.isClosed() ? statuses() : redacted(lanes.check(timeout));
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

    @Override
    public RedactionCounts redactions() {
        return redaction.counts();
    }

    @Override
    public Map<String, Path> recordPaths() {
        return lanes.recordPaths();
    }

    @Override
    public Map<String, URI> locations(String runId) {
        Map<String, URI> clean = new LinkedHashMap<>();
        lanes.locations(redaction.name(runId))
                .forEach((name, place) -> context.records().clean(place).ifPresent(known -> clean.put(name, known)));
        return clean;
    }

    @Override
    public boolean awaitRoom(Duration timeout) {
        return lanes.awaitRoom(timeout);
    }

    @Override
    public FlushResult flush(Duration timeout) {
        SortedMap<String, Boolean> arrived = new TreeMap<>();
        others.stream().filter(SinkStatus::enabled).forEach(missing -> arrived.put(missing.name(), false));
        arrived.putAll(lanes.flush(timeout).sinks());
        return new FlushResult(arrived);
    }

    @Override
    public FlushResult flushDurable(Duration timeout) {
        return lanes.flushDurable(timeout);
    }

    @Override
    public void close() {
        close(CLOSE_TIMEOUT);
    }

    @Override
    public void close(Duration timeout) {
        close(timeout, "the sinks were closed");
    }

    /** {@link #close(Duration)} by a process that ends. */
    void closeAtExit(Duration timeout) {
        close(timeout, "the process ended before the run");
    }

    private void close(Duration timeout, String reason) {
        long by = System.nanoTime() + timeout.toNanos();
        if (!context.close()) {
            awaitClosed(by);
            lanes.awaitClosed(Duration.ofNanos(Math.max(0, by - System.nanoTime())));
            return;
        }
        try {
            spans.endAll(reason);
            abortOpenRuns(reason, by - timeout.toNanos() * 3 / 4); // the rest is for the sinks
            lanes.close(Duration.ofNanos(Math.max(0, by - System.nanoTime())));
        } finally {
            closing.countDown();
            ticker.close();
            ShutdownHook.remove(this);
        }
    }

    /** Aborts all open runs. A run whose lock is not released in time is left as it is. */
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
}
