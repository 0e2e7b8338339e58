package dev.rlm.runs;

import dev.rlm.cli.Durations;
import dev.rlm.cli.RunFilter;
import dev.rlm.cli.recorded.JournalVerb;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Table;
import dev.rlm.cli.terminal.TerminalWidth;
import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalJson;
import dev.rlm.journal.RunSummary;
import dev.rlm.runs.search.TextPattern;
import dev.rlm.runs.search.TextSearch;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
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

    private static final List<Column> COLUMNS = List.of(
            new Column("run", Kind.WHOLE, run -> run.runId()),
            new Column(STARTED, Kind.WHOLE, run -> Shown.time(run.startedAt())),
            new Column("environment", Kind.CUT, run -> run.row().run().environment()),
            new Column("model", Kind.CUT, run -> run.row().run().model()),
            new Column("sample", Kind.CUT, run -> run.row().run().correlation().sample()),
            new Column("state", Kind.WHOLE, run -> run.state().label()),
            new Column("solved", Kind.WHOLE, ListCommand::solved),
            new Column("steps", Kind.NUMBER, RunSummary::steps),
            new Column("reward", Kind.NUMBER, Shown::reward),
            new Column("duration", Kind.NUMBER, run -> run.duration() == null ? null : Durations.text(run.duration())));

    /** The columns that are there where a run shown has something in them; the last is left out first. */
    private static final List<Column> OPTIONAL = List.of(
            new Column(
                    "experiment", Kind.CUT, run -> run.row().run().correlation().experiment()),
            new Column(
                    "epoch", Kind.NUMBER, run -> run.row().run().correlation().epoch()),
            new Column(
                    "train step",
                    Kind.NUMBER,
                    run -> run.row().run().correlation().trainStep()),
            new Column("policy", Kind.CUT, run -> run.row().run().correlation().policyVersion()),
            new Column(
                    "trajectory",
                    Kind.NUMBER,
                    run -> run.row().run().correlation().trajectoryIndex()),
            new Column("failure", Kind.CUT, run -> run.failure() == null ? null : Shown.simpleName(run.failure())));

    @Mixin
    private final RunFilter filter = new RunFilter();

    @Mixin
    private final SortOption sort = new SortOption();

    @Option(
            names = "--by",
            paramLabel = "WHAT",
            description = "A line for each ${COMPLETION-CANDIDATES}, with what came of its runs.")
    private @Nullable By by;

    @Option(
            names = "--grep",
            paramLabel = "TEXT",
            description = "Runs in which rlm search finds this text, or /regex/; /(?i)regex/ ignores case.")
    private @Nullable String grep;

    @Option(names = "--json", description = "One JSON object a line and run, or sample, and nothing else.")
    private boolean json;

    @Override
    protected int execute() {
        print(open());
        return CommandLine.ExitCode.OK;
    }

    private void print(Journal journal) {
        Predicate<String> isFound =
                grep == null ? run -> true : TextSearch.runs(directory(), TextPattern.of(grep, false))::contains;
        List<RunSummary> matching = journal.runs().stream()
                .filter(run -> filter.accepts(run) && isFound.test(run.runId()))
                .toList();
        String damage = Stream.of(Shown.damage(journal.damagedLines()), left(journal.onlyScored()))
                .filter(note -> !note.isEmpty())
                .collect(Collectors.joining("; "));
        if (by == By.sample) {
            printSamples(journal, matching, damage);
            return;
        }
        List<RunSummary> shown = sort.apply(matching, SortOption.RUNS);
        if (json) {
            PrintWriter out = out();
            shown.forEach(run -> out.println(Printable.json(JournalJson.summary(run))));
            out.flush();
            tell(damage);
        } else {
            printTable(journal, shown);
            PrintWriter out = out();
            out.println(counts(shown.size(), matching.size(), journal.runs().size())
                    + (damage.isEmpty() ? "" : "; " + damage));
            out.flush();
        }
    }

    private void printSamples(Journal journal, List<RunSummary> runs, String damage) {
        List<SampleGroup> groups = SampleGroup.of(runs);
        List<SampleGroup> shown = sort.apply(groups, SampleGroup.ORDERS);
        int inGroups = groups.stream().mapToInt(group -> group.runs().size()).sum();
        String lonely = inGroups == runs.size() ? "" : "; runs without a sample: " + (runs.size() - inGroups);
        PrintWriter out = out();
        if (json) {
            SampleTable.printJson(shown, out);
            out.flush();
            tell(lonely.isEmpty() ? "" : lonely.substring(2));
            tell(damage);
        } else {
            SampleTable.print(shown, out, ink(), TerminalWidth.ofOutput());
            out.println(String.format(Locale.ROOT, "%,d of %,d samples, ", shown.size(), groups.size())
                    + counts(runs.size(), runs.size(), journal.runs().size())
                    + lonely
                    + (damage.isEmpty() ? "" : "; " + damage));
            out.flush();
        }
    }

    private void tell(String note) {
        if (!note.isEmpty()) {
            err().println(note);
        }
    }

    private static String left(List<RunSummary> onlyScored) {
        int count = onlyScored.size();
        return count == 0
                ? ""
                : "scores are left of " + Counted.of(count, "run that is", "runs that are") + " gone, such as "
                        + onlyScored.get(0).runId() + " (rlm delete takes them)";
    }

    private static String counts(int shown, int matching, int all) {
        return shown == matching || matching == all
                ? String.format(Locale.ROOT, "%,d of %,d runs", shown, all)
                : String.format(Locale.ROOT, "%,d of %,d that match, of %,d runs", shown, matching, all);
    }

    private void printTable(Journal journal, List<RunSummary> runs) {
        if (!runs.isEmpty()) {
            PrintWriter out = out();
            Ink ink = ink();
            int width = TerminalWidth.ofOutput();
            List<String> leftOut =
                    table(runs, RunIdPrefix.of(runs, journal.runs())).print(out, ink, width);
            TerminalWidth.printNote(out, ink, leftOut, width);
        }
    }

    private static Table table(List<RunSummary> runs, RunIdPrefix prefix) {
        List<Column> more = new ArrayList<>(OPTIONAL);
        more.removeIf(column -> runs.stream().allMatch(run -> column.cell(run).isEmpty()));
        List<Column> columns = Stream.concat(COLUMNS.stream(), more.stream()).toList();
        Collections.reverse(more);
        Table table = new Table(columns.stream().map(Column::title).toList(), numbers(columns))
                .leaveOut(titles(more.stream()))
                .cut(titles(columns.stream().filter(column -> column.kind() == Kind.CUT)))
                .paint("state", Shown::colored)
                .paint("solved", Shown::colored)
                .leaveOut("environment")
                .shorten(STARTED, Shown::withoutYear)
                .shorten("run", prefix::shorten)
                .leaveOut("duration", STARTED, "model", "steps", "sample");
        for (RunSummary run : runs) {
            table.row(columns.stream().map(column -> column.cell(run)).toArray(String[]::new));
        }
        return table;
    }

    private static String[] titles(Stream<Column> columns) {
        return columns.map(Column::title).toArray(String[]::new);
    }

    private static Set<Integer> numbers(List<Column> columns) {
        return IntStream.range(0, columns.size())
                .filter(i -> columns.get(i).kind() == Kind.NUMBER)
                .boxed()
                .collect(Collectors.toSet());
    }

    private static String solved(RunSummary run) {
        if (run.row().end() == null) {
            return "";
        }
        return switch (run.verdict()) {
            case SOLVED -> "yes";
            case UNSOLVED -> "no";
            case UNDECIDED, UNREWARDED -> run.verdict().label();
        };
    }

    /** Keys by which runs are grouped in the list. */
    private enum By {
        sample
    }

    private enum Kind {
        WHOLE,
        CUT,
        NUMBER
    }

    private record Column(String title, Kind kind, Function<RunSummary, @Nullable Object> value) {
        String cell(RunSummary run) {
            Object found = value.apply(run);
            String text = found == null ? "" : found.toString();
            return kind == Kind.CUT ? TextLimits.SHORT.ofCell(text) : text;
        }
    }
}
