package dev.rlm.engine.spark.journal;

import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.cli.terminal.TerminalWidth;
import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.runs.report.RunRowOptions;
import dev.rlm.runs.report.RunRowReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that computes the main figures of a report on Spark. */
@Command(
        name = "spark-report",
        description =
                "Computes the main figures of rlm report on Spark: for more runs than one process can hold, in many"
                        + " journals or in Parquet tables.",
        mixinStandardHelpOptions = true)
public final class SparkReportCommand extends Verb {
    private static final String MASTER = "spark.master";

    @Parameters(
            paramLabel = "PATH",
            description =
                    "Folders of journals, of tables of rlm export --format parquet, or with such folders below them;"
                            + " $RLM_JSONL_DIR or .rlm unless given.")
    private List<Path> paths = new ArrayList<>();

    @Mixin
    private final RunRowOptions figures = new RunRowOptions();

    @Option(
            names = "--master",
            paramLabel = "URL",
            description =
                    "Spark's master, such as spark://host:7077; what spark-submit was given, or local[*], unless given.")
    private @Nullable String master;

    @Option(names = "--json", description = "Print one JSON object with everything.")
    private boolean json;

    @Override
    protected int execute() throws Exception {
        RunRowReport.Builder empty = figures.report();
        List<Path> folders = paths.isEmpty() ? List.of(Journal.configured(config())) : paths;
        for (Path folder : folders) {
            JournalInput.at(folder); // before Spark starts, which takes seconds
        }
        return interruptibly(() -> {
            print(compute(folders, empty));
            return ExitCode.OK;
        });
    }

    private RunRowReport compute(List<Path> folders, RunRowReport.Builder empty) throws Exception {
        try (SparkSession spark = start()) {
            JournalFrames frames = JournalFrames.open(
                    spark,
                    folders,
                    config().shared()
                            .path(IndexCache.VARIABLE)
                            .map(Path::toString)
                            .orElse(null));
            return SparkReport.of(frames.runs(), empty);
        } catch (Exception e) { // Spark's own are checked ones, which no method declares
            throw cause(e);
        }
    }

    private SparkSession start() {
        String given = master != null ? master : System.getProperty(MASTER, "local[*]");
        return SparkSession.builder()
                .appName("rlm spark-report")
                .config("spark.ui.enabled", System.getProperty("spark.ui.enabled", "false"))
                .config("spark.sql.debug.maxToStringFields", "100") // else it warns of the many columns
                .config("spark.sql.adaptive.advisoryPartitionSizeInBytes", "16m") // each is held in memory
                .master(given)
                .getOrCreate();
    }

    /** Returns what a task failed by where that is for the user: Spark wraps it. */
    private static Exception cause(Exception failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof JournalException || cause instanceof UsageException) {
                return (Exception) cause;
            }
        }
        return failure;
    }

    private void print(RunRowReport report) {
        if (json) {
            report.printJson(out());
        } else {
            report.print(out(), ink(), TerminalWidth.ofOutput());
        }
        out().flush();
    }
}
