package dev.rlm.benchmarks.rest;

import dev.rlm.benchmarks.Machine;
import dev.rlm.benchmarks.fault.Misbehaviour;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Table;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command that fills the queue of a sink that hangs, and measures the memory that it then holds. */
@Command(
        name = "retained",
        description = "Fills the queue of a sink that hangs, and measures the memory that it holds.",
        mixinStandardHelpOptions = true)
public final class Retained implements Callable<Integer> {
    private static final double MIB = 1 << 20;
    private static final String NAME = "hanging";

    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    private Retained() {}

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        Table table = new Table(
                List.of("outputs of", "events queued", "heap MiB", "retained MiB", "heap bytes/event"),
                Set.of(1, 2, 3, 4));
        measure("no characters", "", table);
        measure("100 characters", "x".repeat(100), table);
        measure("2,000 characters", "x".repeat(2_000), table);
        measure("2,000 wide ones", "\u0416".repeat(2_000), table);
        measure("100,000 characters", "x".repeat(100_000), table);
        measure("100,000 wide ones", "\u0416".repeat(100_000), table);
        out.println(Machine.line());
        table.print(out, Ink.NONE);
        out.flush();
        return 0;
    }

    private static void measure(String what, String output, Table table) {
        Sink sink = Misbehaviour.HANGS.sink().orElseThrow();
        try (Sinks hub = Sinks.builder().add(NAME, sink).build()) {
            double before = heap();
            fill(hub, output);
            double held = heap() - before;
            SinkStatus status = status(hub);
            long queued = status.ledger().queued();
            table.row(
                    what,
                    String.valueOf(queued),
                    String.format(Locale.ROOT, "%.1f", held / MIB),
                    String.format(Locale.ROOT, "%.1f", (double) status.retained() / MIB),
                    String.format(Locale.ROOT, "%.0f", held / queued));
            Misbehaviour.release(sink);
            hub.close(Duration.ofSeconds(5));
        }
    }

    /** Records steps with outputs of their own until one is refused. */
    private static void fill(Sinks hub, String output) {
        try (Run run = hub.startRun(RunSpec.builder("retained").build())) {
            while (status(hub).ledger().droppedTotal() == 0) {
                try (Step step = run.startStep()) {
                    step.reward(0.5);
                    step.complete(String.valueOf(output.toCharArray())); // a copy
                }
            }
        }
    }

    private static SinkStatus status(Sinks hub) {
        return hub.statuses().get(0);
    }

    private static double heap() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
