package dev.rlm.collector;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Commits;
import dev.rlm.cli.Durations;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.RecordPlaces;
import dev.rlm.cli.Redactions;
import dev.rlm.cli.SinkOptions;
import dev.rlm.cli.StartRecovery;
import dev.rlm.cli.Token;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.cli.http.Access;
import dev.rlm.cli.http.JsonServer;
import dev.rlm.cli.http.MemoryBudget;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.collector.runs.RunSettings;
import dev.rlm.sinks.SinkProvider.Variable;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.Journal;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that takes OTLP and makes runs of it. */
@Command(
        name = "collect",
        description =
                "Records agents that already speak OpenTelemetry: takes their spans by OTLP, answers when they are synced,"
                        + " and gives the runs that they tell of to every sink that is chosen.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
public final class CollectCommand extends Verb {
    private static final String TOKEN = "RLM_COLLECT_TOKEN";
    private static final int MAX_PORT = 65_535;
    private static final int MAX_BODY_MIB = 256;
    private static final int MEMORY_SHARE = 3; // of the heap, for requests under way
    private static final int RUN_SHARE = 32; // of the heap, for the spans of one run as they are kept
    private static final Duration SYNC_PATIENCE = Duration.ofSeconds(30);
    private static final long LOOK_MILLIS = 200;

    @Option(names = "--port", paramLabel = "N", description = "Take OTLP by HTTP there (4318); 0 for a free port.")
    private int port = 4_318;

    @Option(
            names = "--grpc-port",
            paramLabel = "N",
            description = "Take OTLP by gRPC there (4317); 0 for no gRPC, and with --port 0 too unless it is given.")
    private @Nullable Integer grpcPort;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "Listen at that address (127.0.0.1). At one that others can reach a token is asked for.")
    private String host = "127.0.0.1";

    @Option(
            names = "--quiet-time",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "A run whose last span has come ends when nothing has come of it for so long (5s).")
    private Duration quietTime = Duration.ofSeconds(5);

    @Option(
            names = "--idle-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "A run of which nothing has come for so long ends without its last span (10m).")
    private Duration idleTimeout = Duration.ofMinutes(10);

    @Option(names = "--keep-all", description = "Keep traces without any span of an agent too.")
    private boolean keepAll;

    @Option(
            names = "--max-body",
            paramLabel = "MIB",
            description = "Refuse requests that are longer, also when they are not compressed any more (16).")
    private int maxBody = 16;

    @Option(
            names = "--pass-reward",
            paramLabel = "R",
            description = "From which reward on a run is solved that does not say it (1.0).")
    private double passReward = 1.0;

    @Mixin
    private final SinkOptions sinkOptions = new SinkOptions();

    @Override
    public List<Variable> variables() {
        return List.of(new Variable(TOKEN, "none", "what requests to collect must know"));
    }

    @Override
    protected int execute() throws IOException, InterruptedException {
        InetAddress address = check();
        CountDownLatch stop = new CountDownLatch(1);
        try (Interruption ignored = new Interruption(stop::countDown);
                Sinks sinks = sinkOptions.open(config());
                Spool spool = spool()) {
            Commits commits = new Commits(sinks, SYNC_PATIENCE);
            if (!commits.areDurable()) {
                say("warning: no sink keeps a durable record: what is collected is only sent on");
            }
            sinks.statuses().stream()
                    .filter(each -> each.enabled() && !each.available())
                    .forEach(each -> say("warning: sink '" + each.name() + "' is not available: " + each.detail()));
            Collector collector = collector(sinks, commits, spool);
            collector.endWhole(); // before the recovery, which would abandon those that a kill left half written
            try (StartRecovery recovery =
                    StartRecovery.of(sinkOptions.configured(config()), sinkOptions.names(), sinks, err())) {
                serve(address, sinks, collector, stop);
                return close(sinks, collector, recovery);
            }
        }
    }

    private InetAddress check() {
        Bounds.checkRange("--port", port, 0, MAX_PORT);
        if (grpcPort != null) {
            Bounds.checkRange("--grpc-port", grpcPort, 0, MAX_PORT);
        }
        Bounds.checkRange("--max-body", maxBody, 1, MAX_BODY_MIB);
        if (quietTime.isZero() || idleTimeout.isZero()) {
            throw new UsageException("--quiet-time and --idle-timeout must be above 0");
        } else if (!Double.isFinite(passReward)) {
            throw new UsageException("--pass-reward=" + passReward + " is not valid: expected a finite number");
        }
        return JsonServer.host(host);
    }

    private Path journal() {
        return Journal.configured(sinkOptions.configured(config()))
                .toAbsolutePath()
                .normalize();
    }

    private Spool spool() {
        Path folder = journal().resolve("collect");
        try {
            return new Spool(folder);
        } catch (IOException e) {
            throw new UsageException(folder + " cannot be used: " + e.getMessage());
        }
    }

    private Collector collector(Sinks sinks, Commits commits, Spool spool) throws IOException {
        long heap = Runtime.getRuntime().maxMemory();
        Set<String> earlier =
                new HashSet<>(RecordPlaces.areIn(journal(), sinks) ? Journal.endedRuns(journal()) : Set.of());
        OpenTraces.Limits limits = new OpenTraces.Limits(quietTime, idleTimeout, heap / RUN_SHARE);
        String path = sinks.recordPaths().values().stream()
                .map(Path::toString)
                .findFirst()
                .orElse(null);
        return new Collector(
                sinks,
                commits,
                spool,
                new OpenTraces(limits, heap, earlier),
                new RunSettings(path, passReward, keepAll));
    }

    private void serve(InetAddress address, Sinks sinks, Collector collector, CountDownLatch stop)
            throws IOException, InterruptedException {
        Token token = Token.of(config(), TOKEN);
        sinks.registerSecret(token.value());
        boolean asked = !token.isMade() || !address.isLoopbackAddress();
        MemoryBudget memory = new MemoryBudget(Runtime.getRuntime().maxMemory() / MEMORY_SHARE);
        Body body = new Body(maxBody << 20, memory);
        int grpc = grpcPort != null ? grpcPort : port == 0 ? 0 : 4_317;
        Access access = new Access(asked ? token : null, Map.of(), address.isLoopbackAddress());
        try (OtlpServer http = new OtlpServer(address, port, false, access, collector, body);
                OtlpServer second = grpc == 0 ? null : new OtlpServer(address, grpc, true, access, collector, body)) {
            say("listening on " + url(address, http.port())
                    + (second == null ? "" : ", gRPC on " + url(address, second.port()))
                    + (asked ? ", token " + (token.isMade() ? token.value() : "as " + TOKEN + " says") : ""));
            while (!stop.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                collector.endDue();
            }
        }
    }

    private static String url(InetAddress address, int bound) {
        String shown = address.getHostAddress();
        return "http://" + (shown.contains(":") ? "[" + shown + "]" : shown) + ":" + bound;
    }

    private int close(Sinks sinks, Collector collector, StartRecovery recovery) throws IOException {
        long by = System.nanoTime() + Interruption.CLOSE_TIME.toNanos();
        collector.endWhole();
        sinks.close(Duration.ofNanos(Math.max(0, by - System.nanoTime())));
        recovery.close(Duration.ofNanos(Math.max(0, by - System.nanoTime())));
        say(collector.counts().text());
        if (collector.waiting() > 0) {
            say(collector.waiting() + (collector.waiting() == 1 ? " run waits" : " runs wait")
                    + " for the last span: the next rlm collect goes on with what has come");
        }
        for (SinkStatus status : sinks.statuses()) {
            if (status.ledger().lost() + status.ledger().queued() > 0) {
                say("warning: sink '" + status.name() + "' lost "
                        + status.ledger().lost() + " of "
                        + status.ledger().offered() + " events; not known to have arrived: "
                        + status.ledger().queued());
            }
        }
        Redactions.warning(sinks.redactions()).ifPresent(warning -> say("warning: " + warning));
        return collector.counts().isComplete() ? Interruption.EXIT_CODE : 1;
    }

    private void say(String line) {
        err().println(Printable.line(line));
        err().flush();
    }
}
