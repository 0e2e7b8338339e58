package dev.rlm.benchmarks.rest;

import dev.rlm.benchmarks.Agent;
import dev.rlm.benchmarks.Machine;
import dev.rlm.benchmarks.Receiver;
import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.rest.Activity.OfThread;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Table;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.testkit.InMemorySink;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that measures what processor time a hub takes when nothing happens in it. Needs Linux. */
@Command(
        name = "idle",
        description = "Measures what processor time a hub takes when nothing happens in it (on Linux).",
        mixinStandardHelpOptions = true)
public final class Idle implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int SETTLING_SECONDS = 5;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    @Option(names = "--seconds", paramLabel = "N", description = "How long to idle (${DEFAULT-VALUE}).")
    private int seconds = 30;

    private final List<Line> lines = new ArrayList<>();

    private Idle() {}

    @Override
    public Integer call() throws Exception {
        try (TemporaryFolder folder = TemporaryFolder.create("idle");
                Receiver receiver = new Receiver()) {
            String journal = folder.path().toString();
            measure("no hub", null);
            measure("journal", Map.of("RLM_JSONL_DIR", journal));
            measure(
                    "journal, OpenTelemetry",
                    Map.of(
                            "RLM_JSONL_DIR",
                            journal,
                            "RLM_OTEL_ENABLED",
                            "true",
                            "OTEL_EXPORTER_OTLP_PROTOCOL",
                            "http/protobuf",
                            "OTEL_EXPORTER_OTLP_ENDPOINT",
                            receiver.endpoint().toString()));
        }
        print(spec.commandLine().getOut());
        return 0;
    }

    private void measure(String what, @Nullable Map<String, String> variables) throws Exception {
        if (variables == null) {
            idle(what);
            return;
        }
        try (Sinks hub = Sinks.builder()
                .config(SinkConfig.of(variables))
                .add("memory", new InMemorySink())
                .build()) {
            new Agent(1, 5, () -> {}).run(hub);
            hub.flush(PATIENCE);
            idle(what + ", memory");
        }
    }

    private void idle(String what) throws Exception {
        TimeUnit.SECONDS.sleep(SETTLING_SECONDS);
        Activity before = Activity.now();
        TimeUnit.SECONDS.sleep(seconds);
        lines.add(new Line(what, Activity.now().since(before)));
    }

    private void print(PrintWriter out) {
        out.println(Machine.line() + "; " + seconds + " s each");
        Table table = new Table(
                List.of("idle", "CPU ms", "% of a core", "wake-ups/s", "the hub's %", "wake-ups/s", "most by"),
                Set.of(1, 2, 3, 4, 5));
        for (Line line : lines) {
            table.row(
                    line.what(),
                    decimals(line.nanos() / 1e6),
                    decimals(percent(line)),
                    decimals((double) line.times() / seconds),
                    decimals(percent(line.ofTheHub())),
                    decimals((double) line.ofTheHub().times() / seconds),
                    line.most());
        }
        table.print(out, Ink.NONE);
        out.flush();
    }

    private double percent(Line line) {
        return 100 * line.nanos() / 1e9 / seconds;
    }

    private static String decimals(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private record Line(String what, List<OfThread> threads) {
        /** Its lanes and its timer. */
        Line ofTheHub() {
            return new Line(
                    what,
                    threads.stream()
                            .filter(thread -> thread.name().startsWith("rlm-"))
                            .toList());
        }

        long nanos() {
            return threads.stream().mapToLong(OfThread::nanos).sum();
        }

        long times() {
            return threads.stream().mapToLong(OfThread::times).sum();
        }

        String most() {
            return threads.stream()
                    .sorted(Comparator.comparingLong(OfThread::nanos).reversed())
                    .limit(4)
                    .map(thread -> thread.name() + " " + decimals(thread.nanos() / 1e6))
                    .reduce((one, other) -> one + ", " + other)
                    .orElse("");
        }
    }
}
