package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.mlflow.rest.Experiment;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import dev.rlm.sinks.otel.OtelSink;
import dev.rlm.sinks.otel.mapping.ContentCapture;
import dev.rlm.sinks.schema.MetricLabels;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Shows runs in an MLflow tracking server: a job is one of MLflow's runs, whose metrics are the figures of its episodes and
 * the numbers of training; each episode is a trace, linked to that run, with its rewards as feedback.
 *
 * <p>It has five parts: traces, which are the {@link OtelSink}'s, feedback, files, links and metrics. Each has batches and room
 * of its own, and fails and recovers for itself. Each event counts with one of them: rewards with feedback, files with their
 * uploads,
 * {@link MetricsReported} with metrics, a run's start with its metrics and its link, all others with the trace: a span that lies in no
 * run is one of its own.
 *
 * <p>The lane hands over and does not wait for the server, but for room: five seconds in all while nothing arrives, for
 * feedback and links not at all; longer than a request may take where runs are sent again, which holds up no live run.
 */
public final class MlflowSink implements Sink {
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration LIVE_STALL =
            Duration.ofSeconds(5); // a busy server takes two for a request of 512 spans
    private static final Duration RESENDING_STALL = Duration.ofSeconds(50); // and less than the hub waits for a sink
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final MlflowSettings settings;
    private final TrackingServer server;
    private final Experiment experiment;
    private final DeliveryCounts counts = new DeliveryCounts();
    private final Uploads uploads;
    private final Entries entries;
    private final Feedback feedback;
    private final TraceExporter exporter;
    private final OtelSink traces;
    private final MetricExporter metricExporter;
    private final SinkHealth sinkHealth;
    private volatile @Nullable Long closeBy;
    private boolean closed; // on the lane

    private MlflowSink(MlflowSettings settings, SinkConfig config) {
        this.settings = settings;
        server = new TrackingServer(settings.access());
        experiment = settings.experiment(server);
        boolean resending = config.isResending();
        Duration slowStall = resending ? RESENDING_STALL : Duration.ZERO; // live, what is slow would hold the others up
        ContentCapture capture = ContentCapture.of(config);
        feedback = new Feedback(server, counts, capture, resending, Feedback.limits(slowStall));
        exporter = new TraceExporter(server, experiment, feedback::arrived);
        traces = OtelSink.spansTo(exporter, server.address(), longestStall(resending), config)
                .mlflow(true)
                .joinParents(false) // of which MLflow shows nothing
                .accountedElsewhere(RunStarted.class)
                .accountedElsewhere(RewardGiven.class)
                .accountedElsewhere(ArtifactSaved.class)
                .build();
        uploads = new Uploads(server, capture, slowStall, counts);
        entries = new Entries(server, slowStall, counts);
        metricExporter = new MetricExporter(settings, MetricLabels.of(config), server, experiment, resending, entries);
        sinkHealth = new SinkHealth(
                server, this::tracesHealth, List.of(feedback, metricExporter.part(), entries, uploads), this::page);
    }

    /**
     * Returns the limit of the lane's waits for room, in all, while nothing arrives: longer where runs are sent again.
     */
    static Duration longestStall(boolean resending) {
        return resending ? RESENDING_STALL : LIVE_STALL;
    }

    /**
     * A sink as the environment variables and system properties say, whether or not they enable it.
     *
     * @throws SinkConfigException if one of them has a value that cannot be used
     */
    public static MlflowSink fromEnvironment() {
        return builder()
                .config(SinkConfig.system().sink(MlflowSinkProvider.NAME))
                .build();
    }

    /** Collects what a sink is made of; where nothing is said it sends to {@code http://localhost:5000}. */
    public static Builder builder() {
        return new Builder();
    }

    /** A span that lies in no run would be a trace without a word. */
    @Override
    public boolean accepts(EventType type) {
        return type != EventType.STANDALONE_SPAN_RECORDED;
    }

    @Override
    public void onEvent(Event event) {
        if (event instanceof MetricsReported) {
            metricExporter.onEvent(event);
        } else if (event instanceof RunEvent inRun) {
            onRunEvent(inRun);
        }
    }

    private void onRunEvent(RunEvent event) {
        try {
            if (!(event instanceof RunStarted start)
                    || entries.started(start, traceId(start.run()).orElse(null))) {
                metricExporter.onEvent(event);
            }
        } finally { // what one part throws is nothing to the others
            try {
                if (event instanceof RewardGiven reward) {
                    traceId(reward.run())
                            .ifPresentOrElse(
                                    trace -> feedback.give(reward, trace), () -> counts.dropped(Ledger.NOT_SAMPLED, 1));
                } else if (event instanceof ArtifactSaved file) {
                    uploads.send(file, metricExporter.of(file.run()));
                }
            } finally {
                traces.onEvent(event);
            }
        }
    }

    /** That of its trace; empty where its spans are not sent. */
    private Optional<String> traceId(RunInfo run) {
        return traces.traceContext(Place.of(run))
                .map(TraceContext::traceparent)
                .filter(parent -> (Character.digit(parent.charAt(parent.length() - 1), 16) & 1) == 1) // sampled
                .map(parent -> parent.split("-", -1)[1]);
    }

    /** The trace's page, once the experiment's id is known. */
    @Override
    public Optional<URI> location(String runId) {
        return experiment
                .known()
                .flatMap(id -> traces.traceId(runId)
                        .map(trace -> URI.create(server.address() + "/#/experiments/" + id
                                + "/traces?selectedEvaluationId=tr-" + trace)));
    }

    @Override
    public boolean flush(Duration timeout) {
        if (closeBy != null) {
            return false; // it is the close that sends, in an order of its own
        }
        long by = System.nanoTime() + timeout.toNanos();
        boolean spansArrived = traces.flush(timeout);
        boolean rewardsArrived = feedback.flush(by);
        boolean figuresArrived = metricExporter.flush(by);
        boolean filesArrived = uploads.flush(by); // to runs that the figures make
        return entries.flush(by) && filesArrived && spansArrived && rewardsArrived && figuresArrived;
    }

    /** With what was last wrong with them in MLflow's words. */
    private Health tracesHealth() {
        Health known = traces.status();
        Failure last = exporter.failure();
        return known.available() || last == null ? known : new Health(false, last.text(), known.facts());
    }

    /** That of MLflow's run, once it is there. */
    private Optional<String> page() {
        return experiment
                .known()
                .flatMap(id ->
                        metricExporter.runId().map(run -> server.address() + "/#/experiments/" + id + "/runs/" + run));
    }

    @Override
    public Health status() {
        return sinkHealth.health();
    }

    @Override
    public Health check(Duration timeout) {
        return sinkHealth.check(System.nanoTime() + timeout.toNanos());
    }

    @Override
    public Collection<String> secrets() {
        return settings.access().secrets();
    }

    @Override
    public Acknowledged acknowledged() {
        return counts.with(traces.acknowledged());
    }

    /**
     * Requests end a little earlier, so that all that is left is counted. The lane does not wait for room any more: what
     * waits already is more than the server takes in that time.
     */
    @Override
    public void beginClose(Duration timeout) {
        long now = System.nanoTime();
        long end = now + timeout.toNanos() / 10 * 8;
        traces.beginClose(timeout);
        feedback.beginClose(end);
        entries.beginClose(end);
        metricExporter.beginClose(end);
        uploads.beginClose(end);
        server.endBy(end);
        closeBy = now + timeout.toNanos();
    }

    /** Ends MLflow's runs first; all parts send what is left at the same time. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (closeBy == null) {
            beginClose(CLOSE_TIMEOUT);
        }
        long now = System.nanoTime();
        long by = now + Math.max(LEAST_NANOS, (closeBy == null ? now : closeBy) - now);
        Thread ending = new Thread(() -> metricExporter.close(by), "rlm-mlflow-close");
        ending.setDaemon(true);
        ending.start();
        traces.close();
        end(feedback, by);
        join(ending, by);
        end(uploads, by);
        end(entries, by);
        server.close();
    }

    private static void end(SinkPart<?> part, long by) {
        part.flush(by);
        part.close();
    }

    private static void join(Thread thread, long by) {
        try {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(by - System.nanoTime())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Collects what a sink is made of. */
    public static final class Builder {
        private final Map<String, String> said = new HashMap<>(); // by variable
        private SinkConfig config = SinkConfig.of(Map.of()).sink(MlflowSinkProvider.NAME);
        private boolean episodeRuns;

        private Builder() {}

        /** Takes from the configuration what it says of this sink, the {@code MLFLOW_*} variables included. */
        public Builder config(SinkConfig value) {
            config = value;
            return this;
        }

        /** The tracking server, such as {@code http://localhost:5000}; may hold a path, and {@code user:password@}. */
        public Builder trackingUri(URI value) {
            return with("MLFLOW_TRACKING_URI", value.toString());
        }

        /** Sets the user and password to sign in with. The password is shown nowhere. */
        public Builder credentials(String userName, String secret) {
            return with("MLFLOW_TRACKING_USERNAME", userName).with("MLFLOW_TRACKING_PASSWORD", secret);
        }

        /** Sets the token to sign in with if there are no user and password. It is shown nowhere. */
        public Builder token(String value) {
            return with("MLFLOW_TRACKING_TOKEN", value);
        }

        /** The experiment's name, which is made where there is none; {@code rlm} unless said. */
        public Builder experiment(String name) {
            return with("MLFLOW_EXPERIMENT_NAME", name);
        }

        /** Makes one of MLflow's runs for each episode, in place of one for the job. */
        public Builder episodeRuns() {
            episodeRuns = true;
            return this;
        }

        private Builder with(String variable, String value) {
            said.put(variable, value);
            return this;
        }

        /**
         * Makes the sink. It asks the server for nothing until there is something to send.
         *
         * @throws SinkConfigException if something cannot be used as said
         */
        public MlflowSink build() {
            SinkConfig all = episodeRuns ? config.with(config.variable("RUNS"), "episode") : config;
            for (Map.Entry<String, String> each : said.entrySet()) {
                all = all.with(each.getKey(), each.getValue());
            }
            return new MlflowSink(MlflowSettings.of(all), all);
        }
    }
}
