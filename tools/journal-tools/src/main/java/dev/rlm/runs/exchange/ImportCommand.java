package dev.rlm.runs.exchange;

import dev.rlm.cli.Interruption;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.recorded.JournalVerb;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.recovery.ResendQueue;
import dev.rlm.journal.recovery.Resent;
import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.ImportDefaults;
import dev.rlm.runs.exchange.input.StoppableInput;
import dev.rlm.sinks.RedactionCounts;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that takes runs over that others have recorded. */
@Command(
        name = "import",
        description = "Takes over runs that others have recorded, and gives them to every sink that is chosen.",
        mixinStandardHelpOptions = true)
public final class ImportCommand extends JournalVerb {
    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description =
                    "What to read: files, folders of .jsonl or .json files (of other formats also of .eval or .traj files),"
                            + " or - for standard input.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = "--format",
            paramLabel = "FORM",
            description = "chat (a JSON object a run and line, the form that export writes; unless given), atif"
                    + " (trajectories, a file or a line each), inspect (logs of Inspect, .eval or .json), sharegpt"
                    + " (conversations), swe-agent (.traj files) or rlm-code (the run files of that program).")
    private String format = "chat";

    @Option(
            names = {"--environment", "--env"},
            paramLabel = "NAME",
            description = "The environment of runs that name none (imported).")
    private String environment = "imported";

    @Option(
            names = "--pass-reward",
            paramLabel = "R",
            description = "From which reward on a run is solved that does not say it (1.0).")
    private double passReward = 1.0;

    @Option(names = "--skip-bad-lines", description = "Pass over lines that cannot be used, and count them.")
    private boolean skipBadLines;

    @Option(
            names = "--sink",
            paramLabel = "NAME",
            description = "Use exactly the sinks named, whatever the variables say. May be repeated.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    protected int execute() throws IOException {
        if (!Double.isFinite(passReward)) {
            throw new UsageException("--pass-reward=" + passReward + " is not valid: expected a finite number");
        }
        try {
            ImportFormat read = ImportFormat.of(format);
            StoppableInput input = new StoppableInput(console().in());
            List<LineSource> sources = sources(read, input);
            try (Sinks sinks = sinks()) {
                return run(read, sources, input, sinks);
            }
        } catch (BadRecordException e) {
            throw new UsageException(String.valueOf(e.getMessage()), e);
        }
    }

    private List<LineSource> sources(ImportFormat read, StoppableInput input) throws BadRecordException {
        List<LineSource> sources = new ArrayList<>();
        for (String file : files) {
            try {
                List<LineSource> found = LineSource.of(file, read, input);
                if (found.isEmpty()) {
                    throw new BadRecordException("files that end in " + String.join(" or ", read.endings())
                            + " in the folder " + file + ", found none");
                }
                sources.addAll(found);
            } catch (IOException | InvalidPathException e) {
                throw new BadRecordException(
                        "a file or folder that can be read, found " + file + " (" + LineSource.reason(e) + ")");
            }
        }
        return sources;
    }

    private Sinks sinks() {
        SinkConfig configured = config().with("RLM_JSONL_DIR", directory().toString());
        Sinks.Builder builder = Sinks.builder().config(configured).importing();
        Sinks sinks = (names.isEmpty() ? builder : builder.only(names)).build();
        if (sinks.statuses().stream().noneMatch(SinkStatus::enabled)) {
            String hint = sinks.statuses().stream()
                    .map(status -> status.name() + ": " + status.detail())
                    .collect(Collectors.joining("; "));
            sinks.close();
            throw new SinkConfigException("no sink is chosen to import to: " + hint);
        }
        return sinks;
    }

    private int run(ImportFormat read, List<LineSource> sources, StoppableInput input, Sinks sinks) {
        @Nullable
        Path record = sinks.recordPaths().values().stream().findFirst().orElse(null);
        Thread worker = Thread.currentThread();
        Imported imported = new Imported(skipBadLines);
        try (ResendQueue queue = new ResendQueue(sinks)) {
            Importer importer = new Importer(queue, known(record), imported);
            ImportDefaults defaults = new ImportDefaults(
                    environment, passReward, record == null ? null : record.toString(), sinks::content, Instant::now);
            try (Interruption ignored = new Interruption(console(), () -> stop(imported, input, worker))) {
                try (Progress shown = progress(imported::progress)) {
                    importer.read(sources, () -> read.reader().apply(defaults));
                }
                queue.awaitArrival();
                sinks.close(Interruption.CLOSE_TIME);
                return report(imported, queue.results(), sinks.redactions());
            }
        }
    }

    /** Lets the run under way come to its end, unless a sink holds it up. */
    private static void stop(Imported imported, StoppableInput input, Thread worker) {
        imported.stop();
        input.stop();
        try {
            worker.join(1_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        worker.interrupt();
    }

    /** The runs that the journal holds with an end, or that go on there, if this import records in it. */
    private Map<String, Long> known(@Nullable Path record) {
        Path journal = directory().toAbsolutePath().normalize();
        Map<String, Long> known = new HashMap<>();
        if (record != null && record.startsWith(journal) && Journal.isAt(journal)) {
            Journal.open(journal, index()).runs().stream()
                    .filter(run -> run.state() != RunState.UNFINISHED)
                    .forEach(run -> known.put(
                            run.runId(),
                            run.row().end() == null
                                    ? Long.valueOf(Long.MAX_VALUE)
                                    : run.row().end().seq()));
        }
        return known;
    }

    private int report(Imported imported, List<Resent.ToSink> sinks, RedactionCounts redactions) {
        if (json) {
            imported.printJson(out(), sinks, redactions);
        } else {
            imported.print(out(), sinks);
        }
        imported.warn(err(), sinks, redactions);
        if (Thread.interrupted() || imported.wasStopped()) {
            return Interruption.EXIT_CODE;
        }
        boolean complete = imported.isComplete() && sinks.stream().allMatch(Resent.ToSink::isComplete);
        return complete ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }
}
