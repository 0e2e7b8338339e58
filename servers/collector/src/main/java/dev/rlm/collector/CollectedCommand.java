package dev.rlm.collector;

import dev.rlm.cli.Durations;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.process.Subprocess;
import dev.rlm.cli.terminal.Counted;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command that is run while its spans are collected, with its options. */
final class CollectedCommand {
    /** Time to end the command and the sinks when the process is told to end. */
    static final Duration STOP_TIME = Duration.ofSeconds(10);

    private static final long LOOK_MILLIS = 200;
    private static final Duration SHORT =
            Duration.ofMillis(1_500); // for the last spans, where the process is told to end
    private static final Duration FORWARD = Duration.ofSeconds(10); // for what another collector has taken
    private static final Duration SHORT_QUIET = Duration.ofMillis(500);
    private static final Pattern ELSEWHERE = Pattern.compile("OTEL_EXPORTER_OTLP(_TRACES|_METRICS|_LOGS)?_"
            + "(ENDPOINT|PROTOCOL|HEADERS|CERTIFICATE|CLIENT_KEY|CLIENT_CERTIFICATE|INSECURE)");

    @Option(
            names = "--drain-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "When the command has ended, wait so long for spans and for processes that it left (30s).")
    private Duration drainTimeout = Duration.ofSeconds(30);

    @Option(
            names = "--collector",
            paramLabel = "WHICH",
            description =
                    "Where the command sends to: builtin (default; this program), otelcol (an OpenTelemetry Collector"
                            + " on the PATH, which sends all on to this program), or auto (otelcol where there"
                            + " is one).")
    private Which which = Which.BUILTIN;

    @Parameters(
            arity = "0..*",
            paramLabel = "COMMAND",
            description =
                    "Run it, behind a --, while its spans are collected at a free port, and end with its exit code.")
    private List<String> command = List.of();

    private @Nullable Path otelcol; // the program; null where the command sends to this one

    /** Kinds of what a command sends to. */
    enum Which {
        BUILTIN,
        OTELCOL,
        AUTO
    }

    /**
     * Destination of its spans.
     *
     * @param url of OTLP by HTTP
     * @param token that requests must have; {@code null} if they need none
     */
    record Endpoint(String url, @Nullable String token) {
        /** Leads the exporters of a program there, and no header that is meant for others. */
        void set(Map<String, String> environment) {
            environment.keySet().removeIf(ELSEWHERE.asMatchPredicate());
            environment.put("OTEL_EXPORTER_OTLP_ENDPOINT", url);
            environment.put("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
            if (token != null) {
                String encoded =
                        URLEncoder.encode(token, StandardCharsets.UTF_8).replace("+", "%20");
                environment.put("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20" + encoded);
            }
            goAroundProxies(environment);
        }

        /** Sends what is meant for the collector to no proxy. */
        void goAroundProxies(Map<String, String> environment) {
            String host = URI.create(url).getHost().replaceAll("[\\[\\]]", "");
            String here = Stream.of("127.0.0.1", "localhost", host).distinct().collect(Collectors.joining(","));
            for (String name : List.of("NO_PROXY", "no_proxy")) {
                String others = environment.getOrDefault(name, "");
                environment.put(name, others + (others.isEmpty() ? "" : ",") + here);
            }
        }
    }

    /** Returns how long to wait at the end for what is on its way. */
    Duration drainTimeout() {
        return drainTimeout;
    }

    /** Returns whether there is one. */
    boolean isGiven() {
        return !command.isEmpty();
    }

    /** Refuses what cannot be done, on a machine with such a path of programs. */
    void check(String path) {
        if (drainTimeout.isZero()) {
            throw new UsageException("--drain-timeout must be above 0");
        } else if (which != Which.BUILTIN && !isGiven()) {
            throw new UsageException("--collector is for a command: rlm collect --collector otelcol -- COMMAND");
        }
        otelcol = which == Which.BUILTIN ? null : Otelcol.find(path).orElse(null);
        if (which == Which.OTELCOL && otelcol == null) {
            throw new UsageException("--collector=otelcol: neither otelcol-contrib nor otelcol is on the PATH");
        }
    }

    /**
     * Runs it, and waits for the spans that come after its end.
     *
     * @param quiet how long no span comes when all have come
     * @param stop is counted down when the process is told to end
     * @param say takes lines for people
     * @return its exit code
     */
    int run(Endpoint endpoint, Collector collector, Duration quiet, CountDownLatch stop, Consumer<String> say)
            throws IOException, InterruptedException {
        if (otelcol == null) {
            return runAt(endpoint, null, collector, quiet, stop, say);
        }
        try (Otelcol between = Otelcol.start(otelcol, endpoint)) {
            return runAt(new Endpoint(between.url(), null), between, collector, quiet, stop, say);
        } catch (Otelcol.StartException e) {
            if (which == Which.OTELCOL) {
                say.accept("error: " + e.getMessage());
                return 1;
            }
            say.accept("warning: " + e.getMessage() + "; the command sends to this program");
            return runAt(endpoint, null, collector, quiet, stop, say);
        }
    }

    private int runAt(
            Endpoint endpoint,
            @Nullable Otelcol between,
            Collector collector,
            Duration quiet,
            CountDownLatch stop,
            Consumer<String> say)
            throws IOException, InterruptedException {
        Subprocess running;
        try {
            running = Subprocess.start(command, endpoint::set, Subprocess.Output.INHERITED);
        } catch (IOException e) {
            say.accept("error: " + Subprocess.message(command, e));
            return Subprocess.exitCode(e);
        }
        boolean stopped = false;
        while (!stopped && running.isRunning()) {
            collector.endDue();
            stopped = stop.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
        if (stopped) {
            running.end();
            drain(running, collector, new CountDownLatch(1), SHORT, SHORT_QUIET);
        } else {
            drain(running, collector, stop, drainTimeout, quiet);
        }
        if (between != null && !between.isRunning()) {
            say.accept("warning: " + otelcol + " ended before the command: spans may be lost");
        } else if (between != null) {
            between.end(stopped ? SHORT : FORWARD);
        }
        long left = stopped ? 0 : running.countLeftBehind();
        if (left > 0) {
            say.accept("warning: " + Counted.of(left, "process", "processes")
                    + " that the command has left still run: what they send from now on is lost");
        }
        return stopped ? Interruption.EXIT_CODE : running.exitCode();
    }

    /** Waits until nothing that the command has started runs, and no span has come for a time. */
    private static void drain(
            Subprocess ended, Collector collector, CountDownLatch stop, Duration timeout, Duration quiet)
            throws InterruptedException {
        long start = System.nanoTime();
        long lastAt = start;
        long spans = collector.counts().spans();
        while (System.nanoTime() - start < timeout.toNanos()) {
            boolean isQuiet = System.nanoTime() - lastAt > quiet.toNanos();
            if ((isQuiet && ended.countLeftBehind() == 0) || stop.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                return;
            }
            if (collector.counts().spans() != spans) {
                spans = collector.counts().spans();
                lastAt = System.nanoTime();
            }
        }
    }
}
