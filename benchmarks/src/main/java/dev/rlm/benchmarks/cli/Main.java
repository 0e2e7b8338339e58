package dev.rlm.benchmarks.cli;

import dev.rlm.benchmarks.caller.CallerFigures;
import dev.rlm.benchmarks.caller.Pauses;
import dev.rlm.benchmarks.fault.FaultCost;
import dev.rlm.benchmarks.figure.Figure;
import dev.rlm.benchmarks.figure.FiguresCommand;
import dev.rlm.benchmarks.fleet.Fleet;
import dev.rlm.benchmarks.gateway.GatewayFigures;
import dev.rlm.benchmarks.gateway.GatewayKills;
import dev.rlm.benchmarks.job.JobFigures;
import dev.rlm.benchmarks.journal.JournalFigures;
import dev.rlm.benchmarks.otlp.CollectLoad;
import dev.rlm.benchmarks.otlp.OtlpFigures;
import dev.rlm.benchmarks.reading.ReadingFigures;
import dev.rlm.benchmarks.reading.ViewCost;
import dev.rlm.benchmarks.redaction.RedactionFigures;
import dev.rlm.benchmarks.rest.Idle;
import dev.rlm.benchmarks.rest.Retained;
import dev.rlm.benchmarks.scale.ScaleFigures;
import dev.rlm.benchmarks.soak.Soak;
import java.util.Comparator;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Entry point of the process: the benchmarks as verbs of one program. */
@Command(
        name = "benchmarks/run",
        description = "Measures what the sinks cost, and whether they hold out.",
        synopsisSubcommandLabel = "PROGRAM",
        mixinStandardHelpOptions = true,
        subcommands = {
            FaultCost.class,
            Soak.class,
            Pauses.class,
            Idle.class,
            Retained.class,
            GatewayKills.class,
            CollectLoad.class,
            Fleet.class,
            ViewCost.class,
            Jmh.class
        })
public final class Main {
    private static final Logger OPENTELEMETRY = Logger.getLogger("io.opentelemetry");

    private Main() {}

    public static void main(String[] args) {
        OPENTELEMETRY.setLevel(Level.OFF); // the sink says what goes wrong in it
        System.exit(new CommandLine(new Main())
                .addSubcommand(new FiguresCommand(Main::figures, Peers::versions))
                .execute(args));
    }

    /** All figures, in the order of their numbers. */
    static List<Figure> figures() {
        return Stream.of(
                        CallerFigures.figures(),
                        JobFigures.figures(),
                        JournalFigures.figures(),
                        OtlpFigures.figures(),
                        ReadingFigures.figures(),
                        RedactionFigures.figures(),
                        ScaleFigures.figures(),
                        GatewayFigures.figures())
                .flatMap(List::stream)
                .sorted(Comparator.comparingInt(Figure::number))
                .toList();
    }
}
