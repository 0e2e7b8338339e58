package dev.rlm.recorder;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.SinkOptions;
import dev.rlm.cli.StartRecovery;
import dev.rlm.cli.Token;
import dev.rlm.cli.TokenFile;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.server.http.Access;
import dev.rlm.server.http.Endpoint;
import dev.rlm.server.http.TlsOptions;
import dev.rlm.sinks.RunSpec.PassOn;
import dev.rlm.sinks.SinkProvider.Variable;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that records the runs of other programs while they run. */
@Command(
        name = "record",
        description =
                "Records the runs of any program: takes events, one JSON object a line, from standard input or over"
                        + " local HTTP, and answers each when it is synced.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
public final class RecordCommand extends Verb {
    private static final String TOKEN = "RLM_RECORD_TOKEN";
    private static final Duration CLOSE_TIME = Duration.ofSeconds(5);
    private static final String STOPPED = "the recorder was stopped";

    @Option(names = "--port", paramLabel = "N", description = "Take events over HTTP on 127.0.0.1; 0 for a free port.")
    private @Nullable Integer port;

    @Mixin
    private final TlsOptions tlsOptions = new TlsOptions();

    @Mixin
    private final TokenFile tokenFile = new TokenFile();

    @Option(
            names = "--tokens",
            paramLabel = "FILE",
            description =
                    "With --port: tokens of jobs, lines of a name and a token. Each job sees its own rollouts alone.")
    private @Nullable Path tokens;

    @Option(
            names = "--idle-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "With --port: a run of which nothing is heard for so long is abandoned (10m).")
    private @Nullable Duration idleTimeout;

    @Option(names = "--pass-reward", paramLabel = "R", description = "From which reward on a run is solved (1.0).")
    private double passReward = 1.0;

    @Option(names = "--pass-on", paramLabel = "WHICH", description = "Which reward that is: last (default) or total.")
    private PassOn passOn = PassOn.LAST;

    @Mixin
    private final SinkOptions sinkOptions = new SinkOptions();

    @Option(names = "--json", description = "Print the summary as one JSON object, after all answers.")
    private boolean json;

    @Override
    public List<Variable> variables() {
        return List.of(new Variable(
                TOKEN, "made up", "what requests to rlm record --port must know; 16 to 512 visible ASCII characters"));
    }

    @Override
    protected int execute() throws IOException, InterruptedException {
        check();
        try (Sinks sinks = sinkOptions.open(config());
                StartRecovery recovery =
                        StartRecovery.of(sinkOptions.configured(config()), sinkOptions.names(), sinks, err())) {
            Recorder recorder = new Recorder(
                    sinks,
                    new RunEnding.Solved(passReward, passOn),
                    JournalRuns.of(sinks, sinkOptions.configured(config())));
            sinks.statuses().forEach(status -> RecordSummary.warnIfUnavailable(err(), status));
            if (!recorder.isDurable()) {
                say("warning: no sink keeps a durable record: answers do not wait, and say \"synced\":false");
            }
            return port == null ? recordInput(sinks, recorder, recovery) : serve(port, sinks, recorder, recovery);
        }
    }

    private void check() {
        if (port != null) {
            Bounds.checkPort("--port", port);
        }
        if (port == null && tokenFile.isGiven()) {
            throw new UsageException("--token-file is for --port");
        } else if (port == null && tlsOptions.tls() != null) {
            throw new UsageException("--tls-cert is for --port");
        } else if (port == null && tokens != null) {
            throw new UsageException("--tokens is for --port");
        } else if (port == null && idleTimeout != null) {
            throw new UsageException(
                    "--idle-timeout is for --port: on standard input a run is abandoned where the input ends");
        } else if (port != null && isQuiet()) {
            throw new UsageException("--quiet is for standard input: over HTTP each line has its answer");
        } else if (idleTimeout != null && idleTimeout.isZero()) {
            throw new UsageException("--idle-timeout=0 is not valid: expected a time above 0");
        } else if (!Double.isFinite(passReward)) {
            throw new UsageException("--pass-reward=" + passReward + " is not valid: expected a finite number");
        }
    }

    private void say(String line) {
        RecordSummary.say(err(), line);
    }

    private int recordInput(Sinks sinks, Recorder recorder, StartRecovery recovery)
            throws IOException, InterruptedException {
        StandardInput input = new StandardInput(console().in(), out(), recorder.memory());
        try (Interruption ignored = new Interruption(console(), input::stop)) {
            try {
                input.record(recorder, isQuiet());
            } finally {
                if (input.wasStopped()) {
                    recorder.runs().cutOff(Outcome.ABORTED, STOPPED);
                } else {
                    recorder.runs().cutOff(Outcome.ABANDONED, "the input ended before the run");
                }
            }
            boolean complete = close(sinks, recorder, recovery, input.wasStopped());
            return input.wasStopped() ? Interruption.EXIT_CODE : complete ? 0 : 1;
        }
    }

    private int serve(int chosenPort, Sinks sinks, Recorder recorder, StartRecovery recovery)
            throws InterruptedException {
        Token token = tokenFile.token(config(), TOKEN);
        Access access = new Access(token, tokens == null ? Map.of() : Token.named(tokens), true);
        access.tokens().forEach(each -> sinks.registerSecret(each.value()));
        Duration idle = idleTimeout == null ? RecordRequests.IDLE_TIMEOUT : idleTimeout;
        CountDownLatch stop = new CountDownLatch(1);
        Endpoint endpoint = Endpoint.local(chosenPort, tlsOptions.tls());
        try (Interruption ignored = new Interruption(console(), stop::countDown)) {
            try (RecordServer server = new RecordServer(
                    endpoint,
                    access,
                    recorder,
                    new RecordRequests(sinks, sinkOptions.configured(config()), access, recorder, idle))) {
                announce(server, token);
                stop.await();
            }
            tokenFile.delete(token).ifPresent(warning -> say("warning: " + warning));
            close(sinks, recorder, recovery, true);
            return Interruption.EXIT_CODE;
        }
    }

    private void announce(RecordServer server, Token token) {
        String where = "listening on " + server.url() + RecordRequests.EVENTS;
        tokenFile.write(token);
        if (tokenFile.isGiven()) {
            say(where + ", token in " + tokenFile);
        } else {
            say(where + ", token " + (token.isMade() ? token.value() : "as " + TOKEN + " says"));
        }
    }

    /** Brings all to where it belongs and says what it came to; whether all was recorded. */
    private boolean close(Sinks sinks, Recorder recorder, StartRecovery recovery, boolean stopped) {
        Duration time = stopped ? Interruption.CLOSE_TIME : CLOSE_TIME;
        long by = System.nanoTime() + time.toNanos();
        sinks.close(time);
        recovery.close(Duration.ofNanos(Math.max(0, by - System.nanoTime())));
        RecordSummary summary = recorder.summary();
        if (json) {
            summary.printJson(out(), sinks.statuses(), sinks.redactions());
        }
        summary.print(err(), sinks.statuses(), sinks.redactions());
        return summary.isComplete();
    }
}
