package dev.rlm.journal;

import dev.rlm.cli.Durations;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Table;
import dev.rlm.cli.terminal.TerminalWidth;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.jsonl.Detail;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.JournalJson;
import dev.rlm.sinks.jsonl.RunSummary;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that lists the runs of a journal, the latest last. */
@Command(name = "list", description = "Lists the runs of a journal, the latest last.", mixinStandardHelpOptions = true)
public final class ListCommand extends JournalVerb {
    private static final String STARTED = "started (UTC)";
    private static final String FAILURE = "failure";

    /** The columns that are there where a run shown has something in them; the last is left out first. */
    private static final Map<String, Function<RunSummary, @Nullable Object>> OPTIONAL = optional();

    private static final List<String> HEAD =
            List.of("run", STARTED, "environment", "model", "sample", "state", "solved", "steps", "reward", "duration");
    private static final Set<String> NUMBERS =
            Set.of("trajectory", "epoch", "train step", "steps", "reward", "duration");

    @Mixin
    private final RunFilter filter = new RunFilter();

    @Mixin
    private final LimitOption limit = new LimitOption();

    @Option(names = "--json", description = "One JSON object a line and run, and nothing else.")
    private boolean json;

    @Override
    protected int execute() {
        print(open(json ? Detail.SUMMARY : Detail.ROW));
        return CommandLine.ExitCode.OK;
    }

    private void print(Journal journal) {
        List<RunSummary> matching =
                journal.runs().stream().filter(filter::accepts).toList();
        List<RunSummary> shown = limit.latest(matching);
        String damage = damage(journal.damagedLines());
        if (json) {
            PrintWriter out = out();
            shown.forEach(run -> out.println(Printable.json(JournalJson.summary(run))));
            out.flush();
            if (!damage.isEmpty()) {
                err().println(damage);
            }
        } else {
            printTable(journal, shown);
            PrintWriter out = out();
            out.println(counts(shown.size(), matching.size(), journal.runs().size())
                    + (damage.isEmpty() ? "" : "; " + damage));
            out.flush();
        }
    }

    private static String counts(int shown, int matching, int all) {
        return shown == matching || matching == all
                ? String.format(Locale.ROOT, "%,d of %,d runs", shown, all)
                : String.format(Locale.ROOT, "%,d of %,d that match, of %,d runs", shown, matching, all);
    }

    private static String damage(long lines) {
        return lines == 0 ? "" : lines + (lines == 1 ? " damaged line was" : " damaged lines were") + " passed over";
    }

    private void printTable(Journal journal, List<RunSummary> runs) {
        if (!runs.isEmpty()) {
            PrintWriter out = out();
            Ink ink = ink();
            int width = TerminalWidth.ofOutput();
            List<String> leftOut = table(runs, RunIdPrefix.of(journal.runs())).print(out, ink, width);
            TerminalWidth.printNote(out, ink, leftOut, width);
        }
    }

    private static Map<String, Function<RunSummary, @Nullable Object>> optional() {
        Map<String, Function<RunSummary, @Nullable Object>> columns = new LinkedHashMap<>();
        columns.put("experiment", run -> run.run().correlation().experiment());
        columns.put("epoch", run -> run.run().correlation().epoch());
        columns.put("train step", run -> run.run().correlation().trainStep());
        columns.put("policy", run -> run.run().correlation().policyVersion());
        columns.put("trajectory", run -> run.run().correlation().trajectoryIndex());
        columns.put(FAILURE, RunSummary::failure);
        return columns;
    }

    private static Table table(List<RunSummary> runs, RunIdPrefix prefix) {
        List<String> more = new ArrayList<>(OPTIONAL.keySet());
        more.removeIf(title -> runs.stream().allMatch(run -> cell(title, run).isEmpty()));
        List<String> head = Stream.concat(HEAD.stream(), more.stream()).toList();
        Table table = ofColumns(head, prefix);
        for (RunSummary run : runs) {
            table.row(Stream.concat(cells(run), more.stream().map(title -> cell(title, run)))
                    .toArray(String[]::new));
        }
        return table;
    }

    private static Table ofColumns(List<String> head, RunIdPrefix prefix) {
        Set<Integer> numbers = IntStream.range(0, head.size())
                .filter(i -> NUMBERS.contains(head.get(i)))
                .boxed()
                .collect(Collectors.toSet());
        List<String> more = new ArrayList<>(OPTIONAL.keySet());
        more.retainAll(head);
        Collections.reverse(more);
        return new Table(head, numbers)
                .leaveOut(more.toArray(String[]::new))
                .cut("environment", "model", "sample", "experiment", "policy", FAILURE)
                .paint("state", Shown::colored)
                .paint("solved", Shown::colored)
                .leaveOut("environment")
                .shorten(STARTED, Shown::withoutYear)
                .shorten("run", prefix::shorten)
                .leaveOut("duration", STARTED, "model", "steps", "sample");
    }

    private static Stream<String> cells(RunSummary summary) {
        RunInfo run = summary.run();
        String sample = run.correlation().sample();
        return Stream.of(
                run.runId(),
                Shown.time(run.startedAt()),
                Excerpt.SHORT.ofCell(run.environment()),
                Excerpt.SHORT.ofCell(run.model()),
                Excerpt.SHORT.ofCell(sample == null ? "" : sample),
                summary.state().label(),
                solved(summary),
                String.valueOf(summary.steps()),
                Shown.reward(summary),
                summary.duration() == null ? "" : Durations.text(summary.duration()));
    }

    private static String cell(String title, RunSummary run) {
        Object value = Objects.requireNonNull(OPTIONAL.get(title)).apply(run);
        String text = value == null ? "" : value.toString();
        return Excerpt.SHORT.ofCell(title.equals(FAILURE) ? Shown.simpleName(text) : text);
    }

    private static String solved(RunSummary run) {
        if (run.end() == null) {
            return "";
        }
        return switch (run.verdict()) {
            case SOLVED -> "yes";
            case UNSOLVED -> "no";
            case UNDECIDED -> run.verdict().label();
        };
    }
}
