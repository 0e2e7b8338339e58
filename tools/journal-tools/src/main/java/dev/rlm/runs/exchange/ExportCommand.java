package dev.rlm.runs.exchange;

import dev.rlm.cli.Interruption;
import dev.rlm.cli.RunFilter;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.recorded.JournalVerb;
import dev.rlm.cli.recorded.LastRun;
import dev.rlm.cli.recorded.LimitOption;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.runs.exchange.atif.AtifExport;
import dev.rlm.runs.exchange.chat.ChatExport;
import dev.rlm.runs.exchange.output.Destination;
import dev.rlm.runs.exchange.output.Export;
import dev.rlm.runs.exchange.output.ExportFormat;
import dev.rlm.runs.exchange.tables.CsvExport;
import dev.rlm.runs.exchange.tables.ParquetExport;
import dev.rlm.runs.exchange.training.MessageExport;
import dev.rlm.runs.exchange.training.TokenExport;
import dev.rlm.runs.exchange.training.TripletExport;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that writes the runs of a journal in a form that others read. */
@Command(
        name = "export",
        description = "Writes the runs of a journal in a form that others read.",
        mixinStandardHelpOptions = true)
public final class ExportCommand extends JournalVerb {
    @Option(
            names = "--format",
            required = true,
            paramLabel = "FORM",
            description =
                    "otlp (OTLP's JSON, a request a line), chat (a run a line), messages (a run a line, with the tools,"
                            + " for training), atif (Agent Trajectory Interchange Format, a file a run), triplets (a"
                            + " model's turn a line: prompt, response, reward), tokens (a sample a line: ids, loss mask,"
                            + " log probabilities, reward), csv (runs.csv and steps.csv), parquet (runs, steps,"
                            + " rewards, model calls and tool calls, a file each), or a form of a plug-in's.")
    @SuppressWarnings("NullAway.Init") // set before call()
    private String format;

    @Option(
            names = {"--output", "-o"},
            required = true,
            paramLabel = "PATH",
            description = "The file to write, - for standard output; of atif, csv and parquet a folder.")
    @SuppressWarnings("NullAway.Init") // set before call()
    private String output;

    @Option(names = "--force", description = "Replace what is there.")
    private boolean force;

    @Mixin
    private final RunFilter filter = new RunFilter();

    @Mixin
    private final LimitOption limit = new LimitOption();

    @Option(
            names = "--run",
            paramLabel = "ID",
            completionCandidates = LastRun.class,
            description = "Only this run, by its id or the beginning of it; last for the run that started last."
                    + " May be repeated.")
    private List<String> runs = new ArrayList<>();

    @Option(
            names = "--include-unrewarded",
            description =
                    "messages: also of runs without a reward; triplets, tokens: without a usable one. It is null then.")
    private boolean unrewarded;

    @Option(
            names = "--include-redacted",
            description =
                    "triplets: also those of which a text was redacted or cut, without the token ids of that text.")
    private boolean redacted;

    @Option(
            names = "--spreadsheet",
            description = "csv: put an apostrophe before texts that a spreadsheet would compute.")
    private boolean spreadsheet;

    @Option(names = "--json", description = "Print one JSON object that tells what was written.")
    private boolean json;

    @Override
    protected int execute() {
        try (Interruption interruption = new Interruption(console(), Thread.currentThread()::interrupt)) {
            return execute(interruption);
        }
    }

    private int execute(Interruption interruption) {
        try {
            ExportFormat chosen = format();
            check();
            Journal journal = openToRead();
            return export(journal, chosen(journal), chosen);
        } catch (RuntimeException e) {
            if (interruption.wasTold()) {
                return interrupted(); // whatever it was that did not bear the interrupt
            }
            throw e;
        }
    }

    private int export(Journal journal, List<RunSummary> chosen, ExportFormat as) {
        try (Destination destination = destination(as)) {
            Export export = new Export(journal, chosen, destination);
            try (Progress ignored = progress(export::progress)) {
                as.write(export);
                destination.commit();
            }
            if (json) {
                export.printJson(out(), format);
            } else {
                export.print(destination.isStandardOutput() ? err() : out());
            }
            export.warn(err());
            return CommandLine.ExitCode.OK;
        } catch (IOException e) {
            return Thread.interrupted() || e instanceof InterruptedIOException ? interrupted() : failed(e);
        }
    }

    private int interrupted() {
        err().println(Printable.line("interrupted: " + output + left()));
        return Interruption.EXIT_CODE;
    }

    /** Leftovers of an export that came to no end. */
    private String left() {
        return format.equals(AtifExport.NAME) ? " has the runs written so far" : " is as it was";
    }

    private int failed(IOException e) {
        boolean toStandardOutput = output.equals(Destination.STANDARD_OUTPUT);
        if (toStandardOutput && out().checkError()) {
            return CommandLine.ExitCode
                    .OK; // the program tells of results that it cannot write, and of whom it need not
        }
        String reason = e.getMessage() == null ? e.toString() : e.getMessage();
        String what = toStandardOutput ? "not all was written" : output + " could not be written, and" + left();
        err().println(Printable.line("rlm: " + what + ": " + reason));
        return CommandLine.ExitCode.SOFTWARE;
    }

    private ExportFormat format() {
        List<ExportFormat> formats = Stream.concat(
                        SinkExport.all(config()),
                        Stream.of(
                                new ChatExport(),
                                new MessageExport(unrewarded),
                                new AtifExport(),
                                new TripletExport(unrewarded, redacted),
                                new TokenExport(unrewarded),
                                new CsvExport(spreadsheet),
                                new ParquetExport()))
                .toList();
        return formats.stream()
                .filter(known -> known.name().equals(format))
                .findFirst()
                .orElseThrow(() -> new UsageException("--format=" + format + " is not known: expected one of "
                        + formats.stream().map(ExportFormat::name).collect(Collectors.joining(", "))));
    }

    private void check() {
        if (json && output.equals(Destination.STANDARD_OUTPUT)) {
            throw new UsageException("--json prints to where --output - writes: choose one");
        }
        checkOf("--include-unrewarded", unrewarded, MessageExport.NAME, TripletExport.NAME, TokenExport.NAME);
        checkOf("--include-redacted", redacted, TripletExport.NAME);
        checkOf("--spreadsheet", spreadsheet, CsvExport.NAME);
    }

    private void checkOf(String option, boolean given, String... forms) {
        if (given && !List.of(forms).contains(format)) {
            throw new UsageException(option + " is of --format " + String.join(", ", forms) + ", not of " + format);
        }
    }

    private Destination destination(ExportFormat as) {
        Destination destination = new Destination(output, as, out());
        String refusal = destination.refusal(force);
        if (!refusal.isEmpty()) {
            throw new UsageException("--output: " + refusal);
        }
        return destination;
    }

    private List<RunSummary> chosen(Journal journal) {
        Set<String> ids = runs.stream().map(id -> journal.run(id).runId()).collect(Collectors.toSet());
        List<RunSummary> fitting = journal.runs().stream()
                .filter(run -> ids.isEmpty() || ids.contains(run.runId()))
                .filter(filter::accepts)
                .toList();
        return limit.latest(fitting);
    }
}
