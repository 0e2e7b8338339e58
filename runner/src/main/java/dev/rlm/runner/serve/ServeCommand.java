package dev.rlm.runner.serve;

import dev.rlm.cli.Durations;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.SinkOptions;
import dev.rlm.cli.StartRecovery;
import dev.rlm.cli.Token;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.engine.JobLimits;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.job.EarlierAttempts;
import dev.rlm.runner.job.EpisodeOptions;
import dev.rlm.runner.job.LimitOptions;
import dev.rlm.runner.job.OngoingJob;
import dev.rlm.runner.job.ServedEpisodes;
import dev.rlm.server.http.Access;
import dev.rlm.server.http.Endpoint;
import dev.rlm.server.http.ListenOptions;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider.Variable;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.rollout.RolloutStatusSink;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code serve}: runs the episodes that a trainer asks for over HTTP, and tells it what became of them. */
@Command(
        name = "serve",
        description = "Runs the episodes that a trainer asks for over HTTP, and tells it what became of each.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        modelTransformer = ServedEpisodes.WithoutRequests.class)
public final class ServeCommand extends Verb {
    static final String GATEWAY = "FW_TRACING_GATEWAY_BASE_URL";

    private static final String TOKEN = "RLM_SERVE_TOKEN";
    private static final String KEY = "RLM_ROLLOUT_STATUS_TOKEN";

    @Mixin
    private final ListenOptions listen = new ListenOptions(3_000);

    @Mixin
    private final LimitOptions limits = LimitOptions.asked();

    @Option(names = "--parallel", hidden = true, description = "The same as --concurrency.")
    void parallel(int value) {
        limits.concurrency(value);
    }

    @Option(
            names = "--allow-model-url",
            paramLabel = "URL",
            description = "Trainers may name addresses below this one too, not those of this machine alone;"
                    + " *. before a host stands for any name. May be repeated.")
    private List<String> allowed = new ArrayList<>();

    @Option(
            names = "--drain-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long rollouts may go on after Ctrl-C or SIGTERM (20s).")
    private Duration drainTimeout = Duration.ofSeconds(20);

    @Mixin
    private final EpisodeOptions episodeOptions = new EpisodeOptions();

    @Mixin
    private final SinkOptions sinkOptions = new SinkOptions();

    @Override
    public List<Variable> variables() {
        return List.of(new Variable(
                TOKEN,
                "",
                "what requests to rlm serve must know; 16 to 512 visible ASCII characters; needed where"
                        + " it listens to other machines"));
    }

    @Override
    protected int execute() throws Exception {
        JobLimits checked = limits.limits(0);
        Endpoint endpoint = listen.endpoint();
        Token token = token(endpoint.host());
        AllowedUrls urls = new AllowedUrls(allowed);
        try (ServedEpisodes episodes = new ServedEpisodes(episodeOptions, config())) {
            return serve(endpoint, token, urls, episodes, checked);
        } catch (SetupException e) {
            throw new UsageException(String.valueOf(e.getMessage()), e);
        }
    }

    private @Nullable Token token(InetAddress address) {
        Token token = Token.of(config(), TOKEN);
        if (token.isMade() && !address.isLoopbackAddress()) {
            throw new UsageException(
                    "--host=" + address.getHostAddress() + " is open to other machines: " + TOKEN + " must be set");
        }
        return token.isMade() ? null : token;
    }

    private int serve(
            Endpoint endpoint, @Nullable Token token, AllowedUrls urls, ServedEpisodes episodes, JobLimits checked)
            throws InterruptedException {
        SinkConfig config = config().with("RLM_ROLLOUT_STATUS_ENABLED", "false"); // this one's own tells all
        SinkConfig shared = config.shared();
        String key = shared.string(KEY).orElse(null);
        String gateway = shared.url("RLM_ROLLOUT_STATUS_URL")
                .or(() -> shared.url(GATEWAY))
                .map(URI::toString)
                .map(url -> url.replaceFirst("/+$", ""))
                .orElse(null);
        Access access = new Access(token, Map.of(), endpoint.host().isLoopbackAddress());
        try (Sinks sinks = sinkOptions.open(config)) {
            WaitingRollouts rollouts = new WaitingRollouts(episodes, sinks, earlier(sinks, episodes), urls, key);
            sinks.remove(RolloutStatusSink.NAME);
            sinks.add(RolloutStatusSink.NAME, new RolloutStatusSink(rollouts, RolloutStatusSink.GIVE_UP, true));
            if (sinks.get(RolloutStatusSink.NAME).isEmpty()) {
                throw new UsageException(
                        "RLM_OBS_ENABLED=false turns off the sink that tells trainers what became of their rollouts");
            }
            if (token != null) {
                sinks.registerSecret(token.value());
            }
            OngoingJob job = new OngoingJob(rollouts, sinks, checked, err(), this::progress);
            try (Interruption ignored = new Interruption(console(), job::end, OngoingJob.endTime(drainTimeout));
                    StartRecovery recovery = StartRecovery.of(
                            sinkOptions.configured(config),
                            sinkOptions.names(),
                            sinks,
                            err(),
                            builder -> builder.add(
                                    RolloutStatusSink.NAME,
                                    new RolloutStatusSink(rollouts, RolloutStatusSink.GIVE_UP, false)));
                    RolloutServer server = new RolloutServer(
                            endpoint, access, urls, new InitRequest.Defaults(gateway, key), rollouts)) {
                job.say("listening on " + endpoint.url(server.port()) + ", environment " + episodes.environment());
                return job.run(rollouts::drain, drainTimeout, recovery);
            }
        }
    }

    private Map<String, Integer> earlier(Sinks sinks, ServedEpisodes episodes) {
        return EarlierAttempts.read(sinkOptions.configured(config()), sinks, episodes.environment());
    }
}
