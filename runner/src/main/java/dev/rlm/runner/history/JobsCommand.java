package dev.rlm.runner.history;

import dev.rlm.cli.Durations;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.recorded.JournalVerb;
import dev.rlm.cli.recorded.LastRun;
import dev.rlm.cli.recorded.LimitOption;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Table;
import dev.rlm.cli.terminal.TerminalWidth;
import dev.rlm.journal.Journal;
import dev.rlm.json.Json;
import dev.rlm.runner.job.JobFile;
import dev.rlm.runner.job.JobLog;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunInfo;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verb {@code jobs}: lists what runs of a journal were asked for together. */
@Command(
        name = "jobs",
        mixinStandardHelpOptions = true,
        description =
                "Lists the jobs of a journal: those of rlm run, and runs that others gave an invocation id; or tells of"
                        + " one why its runs failed.")
public final class JobsCommand extends JournalVerb {
    private static final Set<Integer> NUMBERS = Set.of(3, 4, 5, 6);

    @Parameters(
            arity = "0..1",
            paramLabel = "ID",
            completionCandidates = LastRun.class,
            description =
                    "This job alone, by its id or the beginning of it; last for the one that started last. Also the"
                            + " failures of its runs, with messages and stack traces.")
    private @Nullable String id;

    @Mixin
    private final LimitOption limit = new LimitOption();

    @Option(
            names = "--lines",
            paramLabel = "N",
            description = "Also the last N lines of the log of each: what was said, progress, failed runs, the end.")
    private int lines;

    @Option(names = "--json", description = "One JSON object a line and job, with the options that started it.")
    private boolean json;

    @Override
    protected int execute() {
        if (lines < 0) {
            throw new UsageException("--lines must be at least 0, was " + lines);
        }
        Journal journal = open();
        List<ListedJob> all = ListedJob.of(journal);
        List<ListedJob> shown = id == null ? limit.latest(all) : List.of(ListedJob.named(id, all));
        JobFailures failures =
                id == null ? null : JobFailures.of(journal, shown.get(0).runs());
        if (json) {
            shown.forEach(job -> out().println(Printable.json(Json.text(fields(job, failures)))));
        } else {
            print(shown);
            if (failures != null) {
                failures.print(out());
            }
            shown.forEach(this::printLog);
            out().println(String.format(Locale.ROOT, "%,d of %,d jobs", shown.size(), all.size()));
        }
        out().flush();
        return CommandLine.ExitCode.OK;
    }

    private void print(List<ListedJob> jobs) {
        if (jobs.isEmpty()) {
            return;
        }
        Table table = new Table(
                        List.of(
                                "job",
                                "started",
                                "state",
                                "rollouts",
                                "runs",
                                "failed",
                                "solved",
                                "time",
                                "model",
                                "options"),
                        NUMBERS)
                .cut("model", "options")
                .leaveOut("model", "time", "rollouts", "started", "options");
        for (ListedJob job : jobs) {
            Instant end = job.endedAt();
            Duration time = Duration.between(job.startedAt(), end == null ? Instant.now() : end);
            double solved = job.figures().solvedRate();
            table.row(
                    Printable.line(job.invocation()),
                    job.startedAt().truncatedTo(ChronoUnit.SECONDS).toString(),
                    label(job),
                    job.size() == null ? "" : job.ended() + " of " + job.size(),
                    String.valueOf(job.runs().size()),
                    String.valueOf(job.figures().ended(Outcome.FAILED)),
                    Double.isNaN(solved) ? "" : Math.round(100 * solved) + " %",
                    Durations.text(time.isNegative() ? Duration.ZERO : time),
                    Printable.line(String.join(", ", job.all(RunInfo::model))),
                    Printable.line(options(job)));
        }
        int width = TerminalWidth.ofOutput();
        TerminalWidth.printNote(out(), ink(), table.print(out(), ink(), width), width);
    }

    private List<String> log(ListedJob job) {
        return JobLog.last(directory().toAbsolutePath().normalize(), job.invocation(), lines);
    }

    private void printLog(ListedJob job) {
        List<String> last = lines == 0 ? List.of() : log(job);
        if (!last.isEmpty()) {
            out().println("log of " + Printable.line(job.invocation()));
            last.forEach(line -> out().println("  " + Printable.line(line)));
        }
    }

    private static String label(ListedJob job) {
        return job.state().name().toLowerCase(Locale.ROOT);
    }

    /** The options; in their place where nothing is known of them what the runs are of. */
    private static String options(ListedJob job) {
        return job.options()
                .map(file -> file.settings().entrySet().stream()
                        .map(option -> option.getKey() + "=" + option.getValue())
                        .collect(Collectors.joining(" ")))
                .orElseGet(() -> String.join(", ", job.all(RunInfo::environment)));
    }

    private Map<String, @Nullable Object> fields(ListedJob job, @Nullable JobFailures failures) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("invocation_id", job.invocation());
        fields.put("state", label(job));
        fields.put("started_at", job.startedAt().toString());
        Instant end = job.endedAt();
        fields.put("ended_at", end == null ? null : end.toString());
        fields.put("rollouts", job.size());
        fields.put("rollouts_ended", job.ended());
        fields.put("runs", job.runs().size());
        for (Outcome outcome : Outcome.values()) {
            fields.put(outcome.label(), job.figures().ended(outcome));
        }
        fields.put("running", job.figures().running());
        fields.put("solved", job.figures().solved());
        fields.put("solved_rate", known(job.figures().solvedRate()));
        fields.put("mean_reward", known(job.figures().meanReward()));
        fields.put("environments", job.all(RunInfo::environment));
        fields.put("models", job.all(RunInfo::model));
        fields.put("experiments", job.all(run -> run.correlation().experiment()));
        fields.put("options", job.options().map(JobFile::settings).orElse(null));
        fields.put("failures", failures == null ? null : failures.fields());
        fields.put("log", lines == 0 ? null : log(job));
        return fields;
    }

    private static @Nullable Double known(double figure) {
        return Double.isNaN(figure) ? null : (Double) figure;
    }
}
