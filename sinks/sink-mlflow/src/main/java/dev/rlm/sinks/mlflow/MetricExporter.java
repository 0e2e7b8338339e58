package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.mlflow.rest.CreateRunRequest;
import dev.rlm.sinks.mlflow.rest.Experiment;
import dev.rlm.sinks.mlflow.rest.FoundRun;
import dev.rlm.sinks.mlflow.rest.Metric;
import dev.rlm.sinks.mlflow.rest.MlflowRuns;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import dev.rlm.sinks.schema.GatewayRuns;
import dev.rlm.sinks.schema.MetricLabels;
import dev.rlm.sinks.schema.RewardVersion;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of jobs, of episodes and of training, and MLflow's runs that they belong to.
 *
 * <p><b>Threads.</b> Events come on the lane, which waits for room where too much is to be sent. All else may be called on any
 * thread.
 *
 * <p><b>Errors.</b> While the server does not take them they are kept and tried again; what finds no room is counted.
 */
final class MetricExporter {
    private static final int MOST_NAMES = 50;

    private final MlflowSettings settings;
    private final Experiment experiment;
    private final boolean resending;
    private final DeliveryListener listener;
    private final MlflowRuns runs;
    private final RunRequests requests;
    private final Jobs jobs;
    private final FigureSender sender;
    private volatile @Nullable MlflowRun latest; // of the jobs
    private final Map<String, OpenEpisode> open = new HashMap<>(); // by run id; on the lane only
    private final Set<String> names = new HashSet<>(); // of parts of rewards and runs' own numbers; on the lane only

    /**
     * @param server whose {@link TrackingServer#endBy} ends all sending
     * @param resending whether the events were recorded earlier, so that MLflow may have some
     */
    MetricExporter(
            MlflowSettings settings,
            MetricLabels labels,
            TrackingServer server,
            Experiment experiment,
            boolean resending,
            DeliveryListener listener) {
        this.settings = settings;
        this.experiment = experiment;
        this.resending = resending;
        this.listener = listener;
        runs = new MlflowRuns(server);
        requests = new RunRequests(labels, settings.user());
        jobs = new Jobs(requests, this::run, resending, settings);
        sender = new FigureSender(server, listener, MlflowSink.longestStall(resending));
    }

    private MlflowRun run(CreateRunRequest request) {
        return new MlflowRun(
                runs, experiment, request, settings.runId(), resending, cause -> sender.undescribed(cause));
    }

    private boolean isRunForEpisode() {
        return settings.runs() == MlflowSettings.Runs.EPISODE && settings.runId() == null;
    }

    /** An event, of any kind. On the lane. */
    void onEvent(Event event) {
        if (event instanceof RunStarted start) {
            started(start);
        } else if (event instanceof RunEnded end) {
            OpenEpisode episode = open.remove(end.run().runId());
            ended(end, episode == null ? open(end.run()) : episode);
        } else if (event instanceof RunEvent inRun) {
            OpenEpisode episode = open.get(inRun.run().runId());
            if (episode != null) {
                inRun(inRun, episode);
            } else if (event instanceof RewardGiven late && !RewardVersion.isOpinion(late)) {
                jobs.known(late.run()).ifPresent(job -> rewarded(job, late));
            }
        } else if (event instanceof MetricsReported metrics) {
            metricsReported(metrics);
        }
    }

    private OpenEpisode open(RunInfo run) {
        if (isRunForEpisode()) {
            return new OpenEpisode(run(requests.episode(run)), this::isNamed);
        }
        MlflowRun job = jobs.of(run);
        latest = job;
        return new OpenEpisode(job, this::isNamed);
    }

    /** Returns whether numbers of that name are sent: only the first 50 names are, because each name is a metric. */
    private boolean isNamed(String name) {
        return names.contains(name) || (names.size() < MOST_NAMES && names.add(name));
    }

    /** The id of the run that MLflow has for the job, the latest where there are several; empty while it is not known. */
    Optional<String> runId() {
        MlflowRun job = latest;
        return Optional.ofNullable(job == null ? null : job.known()).map(FoundRun::id);
    }

    /** MLflow's run for a run that is open; {@code null} where that is not known. On the lane. */
    @Nullable
    MlflowRun of(RunInfo run) {
        OpenEpisode episode = open.get(run.runId());
        return episode == null ? null : episode.run();
    }

    private void started(RunStarted start) {
        OpenEpisode episode = open(start.run());
        open.put(start.run().runId(), episode);
        DeliveryOutcome outcome = new DeliveryOutcome(start, listener);
        episode.started(outcome);
        episode.run().end().note(start);
        if (!GatewayRuns.isPart(start.run())) {
            episode.run().figures().started(start.run());
        }
        sender.batcher().add(MetricBatch.start(episode.run(), start, outcome));
    }

    private void inRun(RunEvent event, OpenEpisode episode) {
        episode.run().end().note(event);
        if (event instanceof ModelCalled call) {
            episode.called(call.usage());
        } else if (event instanceof RewardGiven reward) {
            episode.rewarded(reward);
        } else if (event instanceof StepEnded step && isRunForEpisode()) {
            send(episode.run(), MetricPoints.of(step), null);
        }
    }

    private void ended(RunEnded end, OpenEpisode episode) {
        episode.run().end().note(end);
        if (isRunForEpisode()) {
            episode.run().end().only(end);
            sender.batcher()
                    .add(MetricBatch.points(episode.run(), MetricPoints.of(end, episode.named(end)), episode.outcome())
                            .asLast());
            return;
        }
        episode.run().end().episode(end);
        if (GatewayRuns.isPart(end.run())) {
            sender.batcher().add(MetricBatch.points(episode.run(), List.of(), episode.outcome()));
        } else {
            sender.batcher().add(MetricBatch.episode(episode.run(), episode.figures(end), episode.outcome()));
            episode.run().figures().ended(end);
            tellIfDue(episode.run());
        }
        jobs.forgetOne(this::jobsInUse).ifPresent(job -> {
            tell(job);
            sender.batcher().add(MetricBatch.points(job, List.of(), null).asLast());
        });
    }

    private void rewarded(MlflowRun job, RewardGiven late) {
        job.figures().rewarded(late);
        tellIfDue(job);
    }

    /** Sent again, a job's figures are told once it is known what all its episodes came to. */
    private void tellIfDue(MlflowRun job) {
        if (!resending && job.figures().isDue()) {
            tell(job);
        }
    }

    private void tell(MlflowRun job) {
        job.figures().tell().ifPresent(told -> sender.batcher().add(MetricBatch.figures(job, told)));
    }

    private Set<MlflowRun> jobsInUse() {
        return open.values().stream().map(OpenEpisode::run).collect(Collectors.toSet());
    }

    private void metricsReported(MetricsReported event) {
        DeliveryOutcome outcome = new DeliveryOutcome(event, listener);
        String refusal = MetricPoints.refusal(event);
        if (refusal != null) {
            sender.status().dropped(event.values().size(), refusal);
            outcome.dropped(refusal);
            return;
        }
        MlflowRun run = jobs.ofTraining(event.time());
        run.end().note(event);
        send(run, MetricPoints.of(event), outcome);
    }

    private void send(MlflowRun run, List<Metric> points, @Nullable DeliveryOutcome outcome) {
        sender.batcher().add(MetricBatch.points(run, points, outcome));
    }

    /** Sends all there is, jobs' figures as they stand included; on the lane. Whether all that came since the last flush arrived before {@link System#nanoTime} is {@code by}. */
    boolean flush(long by) {
        jobs.all().forEach(this::tell);
        return sender.flush(by);
    }

    /** It will be closed: the ends of MLflow's runs, as they are known, are sent before what is left. Returns at once. */
    void beginClose(long end) {
        sender.beginClose(end);
    }

    /**
     * Ends MLflow's runs first, sends what is left, and gives up what cannot be sent until {@link System#nanoTime} is
     * {@code by}. It holds up its caller till then.
     */
    void close(long by) {
        jobs.all().forEach(this::tell);
        sender.close(by);
        open.values().forEach(OpenEpisode::closed);
        open.clear();
    }

    /** Sends them. */
    SinkPart<?> part() {
        return sender;
    }
}
