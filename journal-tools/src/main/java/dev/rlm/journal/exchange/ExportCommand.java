package dev.rlm.journal.exchange;

import dev.rlm.cli.Interruption;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.terminal.Json;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.journal.JournalVerb;
import dev.rlm.journal.LastRun;
import dev.rlm.journal.LimitOption;
import dev.rlm.journal.RunFilter;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.RunState;
import dev.rlm.sinks.jsonl.RunSummary;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
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
    static final String CHAT = "chat";
    static final String TRIPLETS = "triplets";
    static final String CSV = "csv";

    @Option(
            names = "--format",
            required = true,
            paramLabel = "FORM",
            description = "otlp (OTLP's JSON, a request a line), chat (a run a line), triplets (a model's turn a line:"
                    + " prompt, response, reward) or csv (runs.csv and steps.csv).")
    @SuppressWarnings("NullAway.Init") // set before call()
    private String format;

    @Option(
            names = {"--output", "-o"},
            required = true,
            paramLabel = "PATH",
            description = "The file to write, - for standard output; of csv a folder.")
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
            description = "triplets: also of runs without a usable reward, whose reward is null.")
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
        Thread worker = Thread.currentThread();
        AtomicBoolean stopped = new AtomicBoolean();
        try (Interruption ignored = new Interruption(() -> {
            stopped.set(true);
            worker.interrupt();
        })) {
            return export(stopped);
        }
    }

    private int export(AtomicBoolean stopped) {
        try {
            Optional<SinkProvider> provider = provider();
            check();
            Journal journal = provider.isPresent() ? open() : openToRead();
            return export(journal, chosen(journal), provider);
        } catch (RuntimeException e) {
            if (stopped.get()) {
                return interrupted(); // whatever it was that did not bear the interrupt
            }
            throw e;
        }
    }

    private int export(Journal journal, List<RunSummary> chosen, Optional<SinkProvider> provider) {
        List<RunSummary> ended =
                chosen.stream().filter(run -> run.state() != RunState.RUNNING).toList();
        Exported exported = new Exported();
        exported.leftOut(Exported.RUNNING, chosen.size() - ended.size());
        try (Destination destination = destination()) {
            Export export = new Export(journal, ended, destination, exported);
            try (Progress ignored = progress(export::progress)) {
                if (provider.isPresent()) {
                    export.by(new SinkExport(provider.get(), format, config()));
                } else {
                    export.as(form(destination, exported));
                }
                destination.commit();
            }
            report(destination, exported, export.damagedLines());
            return CommandLine.ExitCode.OK;
        } catch (IOException e) {
            return Thread.interrupted() || e instanceof InterruptedIOException ? interrupted() : failed(e);
        }
    }

    private RunForm form(Destination destination, Exported exported) throws IOException {
        return switch (format) {
            case CHAT -> new ChatExport(destination.open(""), exported);
            case TRIPLETS -> new TripletExport(destination.open(""), exported, unrewarded, redacted);
            default ->
                new CsvExport(destination.open("runs.csv"), destination.open("steps.csv"), exported, spreadsheet);
        };
    }

    private int interrupted() {
        err().println(Printable.line("interrupted: " + output + " is as it was"));
        return Interruption.EXIT_CODE;
    }

    private int failed(IOException e) {
        if (output.equals(Destination.STANDARD_OUTPUT) && out().checkError()) {
            return CommandLine.ExitCode
                    .OK; // the program tells of results that it cannot write, and of whom it need not
        }
        String reason = e.getMessage() == null ? e.toString() : e.getMessage();
        String what = output.equals(Destination.STANDARD_OUTPUT)
                ? "not all was written"
                : output + " could not be written, and is as it was";
        err().println(Printable.line("rlm: " + what + ": " + reason));
        return CommandLine.ExitCode.SOFTWARE;
    }

    private void report(Destination destination, Exported exported, long damagedLines) {
        PrintWriter out = out();
        PrintWriter err = err();
        if (json) {
            Json.print(out, generator -> {
                generator.writeStringProperty("format", format);
                generator.writeStringProperty("output", output);
                generator.writeNumberProperty("runs", exported.runs());
                generator.writeNumberProperty("records", exported.records());
                generator.writeNumberProperty("bytes", destination.bytes());
                generator.writeObjectPropertyStart("left_out");
                exported.leftOut().forEach((reason, count) -> generator.writeNumberProperty(reason, count));
                generator.writeEndObject();
                generator.writeNumberProperty("damaged_lines", damagedLines);
            });
        } else {
            ExportText.print(destination.isStandardOutput() ? err : out, output, exported, destination.bytes());
        }
        if (damagedLines > 0) {
            err.println("warning: damaged lines passed over: " + damagedLines);
        }
    }

    /** Who knows the form, if it is not one of those that are written here. */
    private Optional<SinkProvider> provider() {
        List<SinkProvider> providers = Sinks.providers(config());
        Optional<SinkProvider> provider = providers.stream()
                .filter(candidate -> candidate.exportFormats().contains(format))
                .findFirst();
        List<String> own = List.of(CHAT, TRIPLETS, CSV);
        if (provider.isEmpty() && !own.contains(format)) {
            String known = Stream.concat(
                            providers.stream().flatMap(candidate -> candidate.exportFormats().stream()), own.stream())
                    .collect(Collectors.joining(", "));
            throw new UsageException("--format=" + format + " is not known: expected one of " + known);
        }
        return provider;
    }

    private void check() {
        if (json && output.equals(Destination.STANDARD_OUTPUT)) {
            throw new UsageException("--json prints to where --output - writes: choose one");
        }
        checkOf("--include-unrewarded", unrewarded, TRIPLETS);
        checkOf("--include-redacted", redacted, TRIPLETS);
        checkOf("--spreadsheet", spreadsheet, CSV);
    }

    private void checkOf(String option, boolean given, String form) {
        if (given && !format.equals(form)) {
            throw new UsageException(option + " is of --format " + form + ", not of " + format);
        }
    }

    private Destination destination() {
        Destination destination = format.equals(CSV) ? Destination.folder(output) : Destination.file(output, out());
        String refusal = destination.refusal(force);
        if (!refusal.isEmpty()) {
            throw new UsageException("--output: " + refusal);
        }
        return destination;
    }

    private List<RunSummary> chosen(Journal journal) {
        Set<String> ids = runs.stream().map(id -> journal.run(id).run().runId()).collect(Collectors.toSet());
        List<RunSummary> fitting = journal.runs().stream()
                .filter(run -> ids.isEmpty() || ids.contains(run.run().runId()))
                .filter(filter::accepts)
                .toList();
        return limit.latest(fitting);
    }
}
