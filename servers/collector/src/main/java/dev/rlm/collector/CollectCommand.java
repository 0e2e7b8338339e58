package dev.rlm.collector;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Commits;
import dev.rlm.cli.Deliveries;
import dev.rlm.cli.DrainWait;
import dev.rlm.cli.Durations;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.RecordPlaces;
import dev.rlm.cli.Redactions;
import dev.rlm.cli.SinkOptions;
import dev.rlm.cli.StartRecovery;
import dev.rlm.cli.Token;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.collector.runs.RunSettings;
import dev.rlm.journal.Journal;
import dev.rlm.recorder.RecordRequests;
import dev.rlm.server.http.Access;
import dev.rlm.server.http.Endpoint;
import dev.rlm.server.http.ListenOptions;
import dev.rlm.server.http.MemoryBudget;
import dev.rlm.sinks.SinkProvider.Variable;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
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
                        + " and gives the runs that they tell of to every sink that is chosen. With a command it collects"
                        + " what that sends.",
        customSynopsis = "rlm collect [OPTIONS] [-- COMMAND [ARGUMENT …]]",
        sortOptions = false,
        mixinStandardHelpOptions = true)
public final class CollectCommand extends Verb {
    private static final String TOKEN = "RLM_COLLECT_TOKEN";
    private static final int MAX_BODY_MIB = 256;
    private static final int MEMORY_SHARE = 3; // of the heap, for requests under way
    private static final int RUN_SHARE = 32; // of the heap, for the spans of one run as they are kept
    private static final Duration SYNC_PATIENCE = Duration.ofSeconds(30);
    private static final long LOOK_MILLIS = 200;

    @Mixin
    private final ListenOptions listen = new ListenOptions(4_318);

    @Option(
            names = "--grpc-port",
            paramLabel = "N",
            description = "Take OTLP by gRPC there (4317; where HTTP takes a free port none); 0 for no gRPC.")
    private @Nullable Integer grpcPort;

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
    private final CollectedCommand command = new CollectedCommand();

    @Mixin
    private final SinkOptions sinkOptions = new SinkOptions();

    private volatile @Nullable Thread draining; // which waits for what is on its way

    @Override
    public List<Variable> variables() {
        return List.of(new Variable(
                TOKEN,
                "",
                "what requests to rlm collect must know; 16 to 512 visible ASCII characters; made up"
                        + " where others can reach it"));
    }

    @Override
    protected int execute() throws IOException, InterruptedException {
        Endpoint endpoint = check();
        CountDownLatch stop = new CountDownLatch(1);
        try (Interruption ignored = command.isGiven()
                        ? new Interruption(console(), () -> stop(stop), CollectedCommand.STOP_TIME)
                        : new Interruption(console(), () -> stop(stop));
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
                Token token = Token.of(config(), TOKEN);
                sinks.registerSecret(token.value());
                boolean loopback = endpoint.host().isLoopbackAddress();
                Access access = new Access(token.isMade() && loopback ? null : token, Map.of(), loopback);
                RecordRequests requests =
                        RecordRequests.open(sinks, sinkOptions.configured(config()), access, passReward);
                int code;
                try (requests) {
                    code = serve(endpoint, token, access, requests, collector, stop);
                }
                boolean whole = close(sinks, collector, requests, recovery, stop.getCount() == 0);
                return command.isGiven() || whole ? code : 1;
            }
        }
    }

    private void stop(CountDownLatch stop) {
        stop.countDown();
        Thread waiting = draining;
        if (waiting != null) {
            waiting.interrupt();
        }
    }

    private Endpoint check() {
        if (grpcPort != null) {
            Bounds.checkPort("--grpc-port", grpcPort);
        }
        Bounds.checkRange("--max-body", maxBody, 1, MAX_BODY_MIB);
        if (quietTime.isZero() || idleTimeout.isZero()) {
            throw new UsageException("--quiet-time and --idle-timeout must be above 0");
        } else if (!Double.isFinite(passReward)) {
            throw new UsageException("--pass-reward=" + passReward + " is not valid: expected a finite number");
        }
        command.check(config().shared().string("PATH", ""));
        Endpoint endpoint = listen.endpoint();
        if (command.isGiven() && endpoint.tls() != null) {
            throw new UsageException("--tls-cert is not for a command, which sends to this machine: leave it out");
        }
        return endpoint;
    }

    private Path journal() {
        return Journal.configured(sinkOptions.configured(config()))
                .toAbsolutePath()
                .normalize();
    }

    private Spool spool() {
        try {
            return Spools.open(journal());
        } catch (IOException e) {
            throw new UsageException(journal().resolve("collect") + " cannot be used: " + e.getMessage());
        }
    }

    private Set<String> earlierRuns(Sinks sinks) {
        return RecordPlaces.areIn(journal(), sinks) ? Journal.endedRuns(journal()) : Set.of();
    }

    private Collector collector(Sinks sinks, Commits commits, Spool spool) throws IOException {
        long heap = Runtime.getRuntime().maxMemory();
        EndedRuns ended = new EndedRuns(Spools.ended(journal()), () -> earlierRuns(sinks));
        OpenTraces.Limits limits = new OpenTraces.Limits(quietTime, idleTimeout, heap / RUN_SHARE);
        String path = sinks.recordPaths().values().stream()
                .map(Path::toString)
                .findFirst()
                .orElse(null);
        return new Collector(
                sinks, commits, spool, new OpenTraces(limits, heap, ended), new RunSettings(path, passReward, keepAll));
    }

    private int serve(
            Endpoint endpoint,
            Token token,
            Access access,
            RecordRequests requests,
            Collector collector,
            CountDownLatch stop)
            throws IOException, InterruptedException {
        boolean asked = !token.isMade() || !endpoint.host().isLoopbackAddress();
        MemoryBudget memory = new MemoryBudget(Runtime.getRuntime().maxMemory() / MEMORY_SHARE);
        Body body = new Body(maxBody << 20, memory);
        boolean anyPort = endpoint.port() == 0 || (command.isGiven() && !given().hasMatchedOption("--port"));
        int grpc = grpcPort != null ? grpcPort : anyPort ? 0 : 4_317;
        Endpoint first = new Endpoint(endpoint.host(), "--port", anyPort ? 0 : endpoint.port(), endpoint.tls());
        Endpoint forGrpc = new Endpoint(endpoint.host(), "--grpc-port", grpc, endpoint.tls());
        try (OtlpServer http = new OtlpServer(first, requests, access, collector, body);
                OtlpServer second = grpc == 0 ? null : new OtlpServer(forGrpc, null, access, collector, body)) {
            if (command.isGiven()) {
                Endpoint near = endpoint.host().isAnyLocalAddress() ? Endpoint.local(0, null) : endpoint;
                return command.run(
                        new CollectedCommand.Endpoint(near.url(http.port()), asked ? token.value() : null),
                        collector,
                        quietTime,
                        stop,
                        this::say);
            }
            say("listening on " + endpoint.url(http.port())
                    + (second == null ? "" : ", gRPC on " + endpoint.url(second.port()))
                    + (asked ? ", token " + (token.isMade() ? token.value() : "as " + TOKEN + " says") : ""));
            while (!stop.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                collector.endDue();
            }
            return Interruption.EXIT_CODE;
        }
    }

    /** Returns whether all that came is recorded. */
    private boolean close(
            Sinks sinks, Collector collector, RecordRequests requests, StartRecovery recovery, boolean stopped)
            throws IOException {
        if (command.isGiven()) {
            collector.endAll(); // its runs have no other sender
        } else {
            collector.endWhole();
        }
        if (!stopped) {
            DrainWait drain = new DrainWait(sinks);
            draining = Thread.currentThread();
            try (Progress ignored = loggedProgress(drain)) {
                drain.await(command.drainTimeout());
            }
            draining = null;
            Thread.interrupted(); // which is not to cut the close short
        }
        long by = System.nanoTime() + Interruption.CLOSE_TIME.toNanos();
        sinks.close(Duration.ofNanos(Math.max(0, by - System.nanoTime())));
        recovery.close(Duration.ofNanos(Math.max(0, by - System.nanoTime())));
        say(collector.counts().text());
        if (command.isGiven() && collector.counts().spans() == 0) {
            say("warning: no span came: "
                    + (collector.counts().hasOthers()
                            ? "what came instead is named above; switch the command's traces on (OTEL_TRACES_EXPORTER=otlp)"
                            : "the command may not read OTEL_EXPORTER_OTLP_ENDPOINT"));
        }
        requests.summary().forEach(this::say);
        if (collector.waiting() > 0) {
            say(Counted.of(collector.waiting(), "run waits", "runs wait")
                    + " for the last span: the next rlm collect goes on with what has come");
        }
        for (SinkStatus status : sinks.statuses()) {
            Deliveries.losses(status).forEach(loss -> say("warning: " + loss));
            Deliveries.howToResend(status, sinks, config(), console().program(), sinkOptions.toRepeat())
                    .ifPresent(this::say);
        }
        Redactions.warning(sinks.redactions()).ifPresent(warning -> say("warning: " + warning));
        return collector.counts().isComplete() && requests.isComplete();
    }

    private void say(String line) {
        err().println(Printable.line(line));
        err().flush();
    }
}
