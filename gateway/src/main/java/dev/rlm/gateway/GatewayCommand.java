package dev.rlm.gateway;

import dev.rlm.cli.Commits;
import dev.rlm.cli.Durations;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.RecordPlaces;
import dev.rlm.cli.SinkOptions;
import dev.rlm.cli.StartRecovery;
import dev.rlm.cli.Token;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.sinks.SinkProvider.Variable;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.index.IndexCache;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that records agents by the base URL of their model. */
@Command(
        name = "gateway",
        description =
                "Records agents that are not changed for it: forwards the calls of their model, records each, and tells"
                        + " trainers of rollouts.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
public final class GatewayCommand extends Verb {
    private static final String TOKEN = "RLM_GATEWAY_TOKEN";
    private static final int MAX_PORT = 65_535;
    private static final int MIB = 1 << 20;
    private static final int MAX_BODY = 1_024;
    private static final int MAX_CALLS = 4_096;

    @Option(names = "--port", paramLabel = "N", description = "Listen there (4000); 0 for a free port.")
    private int port = 4_000;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "Listen at that address (127.0.0.1). At one that others can reach a token is asked for.")
    private String host = "127.0.0.1";

    @Option(names = "--upstream", paramLabel = "URL", description = "Base URL of the model's server, with its /v1.")
    private @Nullable String upstream;

    @Option(
            names = "--route",
            paramLabel = "MODEL=URL",
            description = "Base URL for calls of that model. May be repeated.")
    private Map<String, String> routes = new LinkedHashMap<>();

    @Option(
            names = "--allow-upstream",
            paramLabel = "PATTERN",
            description = "Where a path may say that the model is, such as 'http://127.0.0.1:*'. May be repeated.")
    private List<String> allowed = new ArrayList<>();

    @Option(
            names = "--upstream-key-env",
            paramLabel = "VAR",
            description = "The variable with the key for --upstream and --route, in the place of the client's.")
    private @Nullable String keyVariable;

    @Option(
            names = "--upstream-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "The longest silence of an upstream (10m).")
    private Duration upstreamTimeout = Duration.ofMinutes(10);

    @Option(
            names = "--token-ids",
            description = "Ask for the ids and log probabilities of tokens, where a request does not (vLLM).")
    private boolean tokenIds;

    @Option(
            names = "--idle-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "A rollout of which nothing is heard for so long has ended (10m).")
    private Duration idleTimeout = Duration.ofMinutes(10);

    @Option(
            names = "--sync-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a reply waits at the most until its call is synced (5s).")
    private Duration syncTimeout = Duration.ofSeconds(5);

    @Option(names = "--max-body", paramLabel = "MIB", description = "The longest request, and recorded reply (32).")
    private int maxBody = 32;

    @Option(names = "--max-calls", paramLabel = "N", description = "Calls at a time; more are told to try again (512).")
    private int maxCalls = 512;

    @Mixin
    private final SinkOptions sinkOptions = new SinkOptions();

    @Override
    public List<Variable> variables() {
        return List.of(new Variable(TOKEN, "none", "what requests to gateway must know"));
    }

    @Override
    public Set<String> namedVariables() {
        return keyVariable == null ? Set.of() : Set.of(keyVariable);
    }

    @Override
    protected int execute() throws IOException, InterruptedException {
        InetAddress address = address();
        Forwarder.Settings settings = settings();
        try (Sinks sinks = sinkOptions.open(config());
                StartRecovery recovery =
                        StartRecovery.of(sinkOptions.configured(config()), sinkOptions.names(), sinks, err())) {
            if (settings.key() != null) {
                sinks.registerSecret(settings.key());
            }
            Commits commits = new Commits(sinks, syncTimeout);
            if (!commits.areDurable()) {
                say(
                        "warning: no sink keeps a durable record: replies wait for none, and rollouts are forgotten at the end");
            }
            sinks.statuses().stream()
                    .filter(each -> each.enabled() && !each.available())
                    .forEach(this::warn);
            RolloutStates states = new RolloutStates(archive(sinks));
            sinks.add("rollouts", states);
            Rollouts rollouts = new Rollouts(sinks, states, idleTimeout);
            return serve(address, settings, sinks, commits, states, rollouts, recovery);
        }
    }

    private RolloutArchive archive(Sinks sinks) {
        Path journal = Journal.configured(sinkOptions.configured(config()))
                .toAbsolutePath()
                .normalize();
        return new RolloutArchive(RecordPlaces.areIn(journal, sinks) ? journal : null, IndexCache.configured(config()));
    }

    private int serve(
            InetAddress address,
            Forwarder.Settings settings,
            Sinks sinks,
            Commits commits,
            RolloutStates states,
            Rollouts rollouts,
            StartRecovery recovery)
            throws InterruptedException {
        Token token = Token.of(config(), TOKEN);
        sinks.registerSecret(token.value());
        boolean asked = !token.isMade() || !address.isLoopbackAddress();
        Access access = new Access(asked ? token : null, address.isLoopbackAddress());
        CountDownLatch stop = new CountDownLatch(1);
        try (Interruption ignored = new Interruption(stop::countDown);
                Forwarder forwarder = new Forwarder(settings, access, rollouts, commits)) {
            ScheduledExecutorService watch = watch(rollouts);
            RolloutDoor door = new RolloutDoor(rollouts, states, commits, idleTimeout);
            try (GatewayServer server = open(address, access, forwarder, door)) {
                String shown = address.getHostAddress().contains(":") ? "[" + host + "]" : host;
                say("listening on http://" + shown + ":" + server.port()
                        + (asked ? ", token " + (token.isMade() ? token.value() : "as " + TOKEN + " says") : ""));
                stop.await();
            } finally {
                watch.shutdownNow();
                rollouts.stop();
            }
            close(sinks, recovery, forwarder);
            return Interruption.EXIT_CODE;
        }
    }

    private static ScheduledExecutorService watch(Rollouts rollouts) {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "rlm-gateway-idle");
            thread.setDaemon(true);
            return thread;
        });
        var unused = timer.scheduleWithFixedDelay(
                () -> {
                    try {
                        rollouts.endIdle();
                    } catch (RuntimeException e) { // or it would be called no more
                        LoggerFactory.getLogger(GatewayCommand.class)
                                .warn("idle rollouts were not ended: {}", e.toString());
                    }
                },
                1,
                1,
                TimeUnit.SECONDS);
        return timer;
    }

    private GatewayServer open(InetAddress address, Access access, Forwarder forwarder, RolloutDoor door) {
        try {
            return new GatewayServer(address, port, maxCalls, access, forwarder, door);
        } catch (IOException e) {
            throw new UsageException("--port=" + port + " cannot be had: " + e.getMessage() + "; 0 takes a free one");
        }
    }

    private void close(Sinks sinks, StartRecovery recovery, Forwarder forwarder) {
        long by = System.nanoTime() + Interruption.CLOSE_TIME.toNanos();
        sinks.close(Interruption.CLOSE_TIME);
        recovery.close(Duration.ofNanos(Math.max(0, by - System.nanoTime())));
        say("recorded " + forwarder.calls() + (forwarder.calls() == 1 ? " call" : " calls"));
        if (forwarder.unsynced() > 0) {
            say("warning: " + forwarder.unsynced() + " of them went on without being known to be synced");
        }
        for (SinkStatus status : sinks.statuses()) {
            if (status.ledger().lost() + status.ledger().queued() > 0) {
                say("warning: sink '" + status.name() + "' lost "
                        + status.ledger().lost() + " of "
                        + status.ledger().offered() + " events; not known to have arrived: "
                        + status.ledger().queued());
            }
        }
    }

    private void warn(SinkStatus status) {
        say("warning: sink '" + status.name() + "' is not available: " + status.detail());
    }

    private void say(String line) {
        err().println(Printable.line(line));
        err().flush();
    }

    // ---- options

    private InetAddress address() {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new UsageException("--host=" + host + " is not an address of this machine");
        }
    }

    private Forwarder.Settings settings() {
        within("--port", port, 0, MAX_PORT);
        within("--max-body", maxBody, 1, MAX_BODY);
        within("--max-calls", maxCalls, 1, MAX_CALLS);
        positive("--idle-timeout", idleTimeout);
        positive("--sync-timeout", syncTimeout);
        positive("--upstream-timeout", upstreamTimeout);
        if (upstream == null && routes.isEmpty() && allowed.isEmpty()) {
            throw new UsageException("nowhere to forward to: expected --upstream, --route or --allow-upstream");
        }
        Map<String, HttpUrl> urls = new LinkedHashMap<>();
        routes.forEach((model, url) -> urls.put(model, url("--route=" + model + "=", url)));
        List<Upstreams.Allowed> patterns = new ArrayList<>();
        for (String pattern : allowed) {
            Upstreams.Allowed read = Upstreams.Allowed.of(pattern);
            if (read == null) {
                throw new UsageException(
                        "--allow-upstream=" + pattern
                                + " is not valid: expected a scheme, a host and, if need be, a port, such as http://127.0.0.1:*");
            }
            patterns.add(read);
        }
        HttpUrl standard = upstream == null ? null : url("--upstream=", upstream);
        return new Forwarder.Settings(
                new Upstreams(standard, urls, patterns), key(), maxCalls, maxBody * MIB, upstreamTimeout, tokenIds);
    }

    private static void within(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new UsageException(
                    option + "=" + value + " is not valid: expected a whole number from " + least + " to " + most);
        }
    }

    private static void positive(String option, Duration time) {
        if (time.isZero()) {
            throw new UsageException(option + "=0 is not valid: expected a time above 0");
        }
    }

    private static HttpUrl url(String option, String value) {
        HttpUrl url = HttpUrl.parse(value);
        if (url == null || !url.username().isEmpty()) {
            throw new UsageException(
                    option + "… is not valid: expected a URL such as http://127.0.0.1:8000/v1, without a user");
        }
        return url;
    }

    private @Nullable String key() {
        if (keyVariable == null) {
            return null;
        }
        return config().shared()
                .string(keyVariable)
                .orElseThrow(
                        () -> new UsageException("--upstream-key-env=" + keyVariable + ": the variable is not set"));
    }
}
