package dev.rlm.runner.journal;

import dev.rlm.runner.terminal.Durations;
import dev.rlm.runner.terminal.Ink;
import dev.rlm.runner.terminal.Printable;
import dev.rlm.runner.terminal.Table;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.JournalException;
import dev.rlm.sinks.jsonl.JournalJson;
import dev.rlm.sinks.jsonl.RunSummary;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command that lists the runs of a journal, the latest last. */
@Command(name = "list", description = "Lists the runs of a journal, the latest last.", mixinStandardHelpOptions = true)
public final class ListCommand implements Callable<Integer> {
    private static final List<String> HEAD = List.of(
            "run", "started (UTC)", "environment", "model", "sample", "state", "solved", "steps", "reward", "duration");
    private static final Set<Integer> NUMBERS = Set.of(7, 8, 9);

    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    @Mixin
    private final JournalOption journalOption;

    @Mixin
    private final RunFilter filter = new RunFilter();

    @Mixin
    private final LimitOption limit = new LimitOption();

    @Option(names = "--json", description = "One JSON object a line and run, and nothing else.")
    private boolean json;

    /** The command, for a program with this configuration. */
    public ListCommand(SinkConfig config) {
        journalOption = new JournalOption(config);
    }

    @Override
    public Integer call() {
        limit.check(spec.commandLine());
        try {
            Journal journal = journalOption.open();
            print(journal, chosen(journal));
            return CommandLine.ExitCode.OK;
        } catch (JournalException | SinkConfigException e) {
            throw new ParameterException(spec.commandLine(), Printable.line(String.valueOf(e.getMessage())), e);
        }
    }

    private List<RunSummary> chosen(Journal journal) {
        List<RunSummary> fitting =
                journal.runs().stream().filter(filter::accepts).toList();
        return limit.latest(fitting);
    }

    private void print(Journal journal, List<RunSummary> runs) {
        PrintWriter out = spec.commandLine().getOut();
        String damage = damage(journal.damagedLines());
        if (json) {
            runs.forEach(run -> out.println(Printable.json(JournalJson.summary(run))));
            if (!damage.isEmpty()) {
                spec.commandLine().getErr().println(damage);
            }
        } else {
            if (!runs.isEmpty()) {
                table(runs).print(out, Ink.of(spec.commandLine()));
            }
            out.println(
                    runs.size() + " of " + journal.runs().size() + " runs" + (damage.isEmpty() ? "" : "; " + damage));
        }
        out.flush();
    }

    private static String damage(long lines) {
        return lines == 0 ? "" : lines + (lines == 1 ? " damaged line was" : " damaged lines were") + " passed over";
    }

    private static Table table(List<RunSummary> runs) {
        Table table = new Table(HEAD, NUMBERS);
        for (RunSummary summary : runs) {
            RunInfo run = summary.run();
            String sample = run.correlation().sample();
            table.row(
                    Printable.line(run.runId()),
                    Shown.time(run.startedAt()),
                    Excerpt.SHORT.ofCell(run.environment()),
                    Excerpt.SHORT.ofCell(run.model()),
                    Excerpt.SHORT.ofCell(sample == null ? "" : sample),
                    summary.state().label(),
                    summary.end() == null ? "" : summary.isSolved() ? "yes" : "no",
                    String.valueOf(summary.steps()),
                    Shown.reward(summary),
                    Durations.text(summary.duration()));
        }
        return table;
    }
}
