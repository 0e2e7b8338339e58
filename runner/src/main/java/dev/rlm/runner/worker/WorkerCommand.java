package dev.rlm.runner.worker;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.SinkOptions;
import dev.rlm.cli.StartRecovery;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.engine.JobLimits;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.job.EpisodeOptions;
import dev.rlm.runner.job.JobJournal;
import dev.rlm.runner.job.JobLock;
import dev.rlm.runner.job.LimitOptions;
import dev.rlm.runner.job.OngoingJob;
import dev.rlm.runner.job.ServedEpisodes;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider.Variable;
import dev.rlm.sinks.Sinks;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code worker}: runs the rollouts of a trainer's queue, and tells it their rewards and ends. */
@Command(
        name = "worker",
        description = "Runs the rollouts of a trainer's queue, and tells it their rewards and ends.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        modelTransformer = ServedEpisodes.WithoutRequests.class)
public final class WorkerCommand extends Verb {
    /** Variable with the key, by agent-lightning's own name. */
    static final String KEY = "AGL_KEY";

    /** Parameter of a run that names the server. */
    static final String SERVER = "agent_lightning";

    /** Parameter of a run that names its attempt, as the server has it. */
    static final String ATTEMPT = "agent_lightning_attempt";

    private static final Duration SYNC_TIME = Duration.ofSeconds(10);

    @Option(
            names = "--agent-lightning",
            paramLabel = "URL",
            required = true,
            description = "The server of agentlightning 1.x, such as http://localhost:18124.")
    private String url = "";

    @Option(
            names = "--poll",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long to wait before the next look into an empty queue (1s).")
    private Duration poll = Duration.ofSeconds(1);

    @Option(
            names = "--model-name",
            paramLabel = "NAME",
            description = "Name of the model in the record; the server chooses the model itself (default).")
    private String model = "default";

    @Mixin
    private final LimitOptions limits = LimitOptions.claimed();

    @Option(
            names = "--drain-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long rollouts may go on after Ctrl-C or SIGTERM (20s); then they have failed.")
    private Duration drainTimeout = Duration.ofSeconds(20);

    @Mixin
    private final EpisodeOptions episodeOptions = new EpisodeOptions();

    @Mixin
    private final SinkOptions sinkOptions = new SinkOptions();

    @Override
    public List<Variable> variables() {
        return List.of(new Variable(KEY, "", "the key for the server of rlm worker, never recorded"));
    }

    @Override
    protected int execute() throws Exception {
        JobLimits checked = limits.limits(0);
        Bounds.checkAboveZero("--poll", poll);
        URI server = server();
        episodeOptions.withoutStreams(); // which the server refuses
        try (ServedEpisodes episodes = new ServedEpisodes(episodeOptions, config());
                Sinks sinks = sinkOptions.open(config())) {
            return work(server, episodes, sinks, checked);
        } catch (SetupException e) {
            throw new UsageException(String.valueOf(e.getMessage()), e);
        }
    }

    private URI server() {
        try {
            URI server = URI.create(url);
            if (List.of("http", "https").contains(String.valueOf(server.getScheme()))
                    && server.getHost() != null
                    && server.getRawUserInfo() == null
                    && server.getRawQuery() == null) {
                return server;
            }
        } catch (IllegalArgumentException e) {
            // said below, without the address, which may hold a key
        }
        throw new UsageException("--agent-lightning is not valid: expected an address without user and query, such as"
                + " http://localhost:18124; " + KEY + " signs in");
    }

    private int work(URI address, ServedEpisodes episodes, Sinks sinks, JobLimits checked)
            throws IOException, InterruptedException {
        SinkConfig config = sinkOptions.configured(config());
        JobJournal journal = JobJournal.of(config, sinks).orElse(null);
        Orphans orphans = journal == null ? null : Orphans.of(journal);
        String invocation = UUID.randomUUID().toString();
        String attempt = orphans == null ? "rlm-" + invocation : orphans.attempt(invocation);
        String key = config().shared().string(KEY).orElse(null);
        try (AgentLightning server = new AgentLightning(address, attempt, key);
                JobLock ignored =
                        journal == null ? null : journal.take(invocation).orElseThrow()) {
            ClaimedRollouts rollouts =
                    new ClaimedRollouts(server, episodes, model, checked.timeout(), invocation, poll);
            OngoingJob job = new OngoingJob(rollouts, sinks, checked, err(), this::progress);
            sinks.add(AgentLightningSink.NAME, new AgentLightningSink(server, () -> {
                var unused = sinks.flushDurable(SYNC_TIME);
            }));
            if (sinks.get(AgentLightningSink.NAME).isEmpty()) {
                throw new UsageException(
                        "RLM_OBS_ENABLED=false leaves no sink that tells the trainer what became of a rollout");
            }
            endOrphans(server, orphans, job);
            try (Interruption alsoIgnored = new Interruption(console(), job::end, OngoingJob.endTime(drainTimeout));
                    StartRecovery recovery = StartRecovery.of(config, sinkOptions.names(), sinks, err())) {
                job.say("claiming rollouts at " + server.base() + ", environment " + episodes.environment());
                int code = job.run(rollouts::end, drainTimeout, recovery);
                rollouts.failDoubtful();
                return code;
            }
        }
    }

    /** Finds out whether the server is there, and ends what earlier workers have left. */
    private static void endOrphans(AgentLightning server, @Nullable Orphans orphans, OngoingJob job) {
        try {
            if (orphans == null) {
                job.say("warning: no sink records in the journal: what is claimed runs for ever in the queue where this"
                        + " process dies");
                var unused = server.rollouts(AgentLightning.QUEUING, 1);
            } else {
                orphans.end(server, job::say);
            }
        } catch (IOException e) {
            throw new UsageException("--agent-lightning " + server.base() + " cannot be used: " + e.getMessage(), e);
        }
    }
}
