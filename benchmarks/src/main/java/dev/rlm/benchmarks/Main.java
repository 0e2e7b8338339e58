package dev.rlm.benchmarks;

import dev.rlm.benchmarks.fault.FaultCost;
import dev.rlm.benchmarks.soak.Soak;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Where the process starts: the benchmarks as verbs of one program. */
@Command(
        name = "benchmarks/run",
        description = "Measures what the sinks cost, and whether they hold out.",
        synopsisSubcommandLabel = "PROGRAM",
        mixinStandardHelpOptions = true,
        subcommands = {FaultCost.class, Soak.class, Jmh.class})
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }
}
