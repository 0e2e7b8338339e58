package dev.rlm.runner.job;

import dev.rlm.cli.Deliveries;
import dev.rlm.cli.Durations;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Table;
import dev.rlm.cli.terminal.TerminalWidth;
import dev.rlm.runner.replay.ReplaySummary;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.RunFigures;
import dev.rlm.sinks.schema.statistics.Groups;
import dev.rlm.sinks.schema.statistics.PairedDifference;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Shows a person what a job came to, where it is recorded and what to look at next. */
final class SummaryText {
    private static final List<String> HEAD = List.of(
            "model",
            "runs",
            "completed",
            "failed",
            "aborted",
            "solved",
            "mean reward",
            "steps",
            "tool calls",
            "duration p50",
            "p95",
            "pass@1");
    private static final int FAILURES = 5;
    private static final int LEAST_WIDTH = "journal ".length();
    private static final Set<Integer> NUMBERS =
            IntStream.range(1, HEAD.size()).boxed().collect(Collectors.toSet());

    private final PrintWriter out;
    private final Summary summary;
    private final @Nullable String console;
    private final int width; // of what stands before the lines

    /**
     * That of a job.
     *
     * @param console the address of a console that shows the journal; {@code null} if none is open
     */
    SummaryText(PrintWriter out, Summary summary, @Nullable String console) {
        this.out = out;
        this.summary = summary;
        this.console = console;
        this.width = summary.sinks().stream()
                .filter(SinkStatus::enabled)
                .mapToInt(status -> status.name().length())
                .reduce(LEAST_WIDTH, Math::max);
    }

    /**
     * Prints it.
     *
     * @param program how the user calls the program
     * @param options what the user would have to say again to look at the same journal
     */
    void print(String program, String options) {
        table();
        String name = "failed";
        for (String failure : summary.failures().lines(FAILURES)) {
            line(name, failure);
            name = "";
        }
        if (summary.all().undecided() > 0) {
            line(
                    "undecided",
                    summary.all().undecided()
                            + " of the runs got their first reward after their end and are in no rate");
        }
        if (summary.all().unrewarded() > 0) {
            line("no reward", summary.all().unrewarded() + " of the runs have none and are in no rate and no mean");
        }
        if (summary.all().unusable() > 0) {
            line("absent", summary.all().unusable() + " of the runs have an absent reward and are in no mean reward");
        }
        groups();
        replays();
        Summary.Extent extent = summary.extent();
        if (extent.resumed() != null) {
            line("resumed", extent.resumed() + " of " + extent.size() + " runs had been done");
        }
        if (extent.retried() > 0) {
            line(
                    "retried",
                    extent.retried() + " of the runs were tried again after a failure; their last attempts count");
        }
        long abandoned = summary.all().ended(Outcome.ABANDONED);
        if (abandoned > 0) {
            line("lost", abandoned + " of the runs were cut off when their process died");
        }
        if (extent.leftBehind() > 0) {
            line("stuck", extent.leftBehind() + " of the runs did not stop their work when they were ended");
        }
        summary.sinks().stream().filter(SinkStatus::enabled).forEach(this::sink);
        if (summary.sinks().stream().noneMatch(SinkStatus::enabled)) {
            line("sinks", "none is on: nothing was recorded; " + program + " sinks lists them");
        }
        summary.journal().ifPresent(journal -> line("journal", shown(journal)));
        summary.pages().forEach(page -> line("trace", page + "  (run " + summary.firstRun() + ")"));
        if (console != null && summary.journal().isPresent()) {
            line("view", console + "/runs/" + summary.firstRun());
        }
        if (summary.journal().isPresent()) {
            line("next", program + " list" + options);
            line("", program + " show " + summary.firstRun() + options);
        }
        out.flush();
    }

    private void table() {
        Table table = new Table(HEAD, NUMBERS)
                .cut("model")
                .leaveOut("p95", "tool calls", "duration p50", "steps", "pass@1", "aborted", "failed");
        summary.models().forEach((model, figures) -> row(table, model, figures));
        if (summary.models().size() != 1) {
            row(table, "all", summary.all());
        }
        int columns = TerminalWidth.ofOutput();
        TerminalWidth.printNote(out, Ink.NONE, table.print(out, Ink.NONE, columns), columns);
    }

    private static void row(Table table, String name, RunFigures figures) {
        table.row(
                name,
                String.valueOf(figures.runs()),
                String.valueOf(figures.ended(Outcome.COMPLETED)),
                String.valueOf(figures.ended(Outcome.FAILED)),
                String.valueOf(figures.ended(Outcome.ABORTED)),
                String.valueOf(figures.solved()),
                number(figures.meanReward()),
                String.valueOf(figures.steps()),
                String.valueOf(figures.toolCalls()),
                duration(figures.durations().percentile(50)),
                duration(figures.durations().percentile(95)),
                number(figures.solvedRate()));
    }

    /** Groups of one run each say nothing more than the runs. */
    private void groups() {
        Groups<?> groups = summary.groups();
        if (groups.largest() < 2) {
            return;
        }
        line(
                "groups",
                groups.all().size() + " of up to " + groups.largest() + " runs: rewards within a group spread by "
                        + number(groups.spread()) + " (mean standard deviation), "
                        + groups.flat().count() + " of "
                        + groups.comparable() + " without learning signal (all rewards the same)");
        forEachK("pass@", k -> groups.anyOf(k).value());
        forEachK("pass^", k -> groups.allOf(k).value());
    }

    private void replays() {
        ReplaySummary replays = summary.replays();
        if (replays == null) {
            return;
        }
        int diverged = replays.divergences().size();
        line(
                "replayed",
                replays.runs() - diverged + " of " + replays.runs() + " runs came out as recorded, " + diverged
                        + " differ"
                        + (replays.partial() == 0 ? "" : "; of " + replays.partial() + " the record has a part only")
                        + (replays.missing().isEmpty()
                                ? ""
                                : "; " + replays.missing().size() + " could not be replayed")
                        + (summary.extent().resumed() == null
                                ? ""
                                : "; those that were replayed before are not among them"));
        ReplaySummary.RewardDifference rewards = replays.rewards();
        if (rewards != null) {
            PairedDifference means = rewards.means();
            double low = means.interval().low();
            line(
                    "rewards",
                    "of " + means.samples() + " runs " + number(means.there()) + " recorded, "
                            + number(means.here()) + " now: " + signed(means.value())
                            + (Double.isNaN(low)
                                    ? ""
                                    : " (95%: " + signed(low) + " to "
                                            + signed(means.interval().high()) + ")")
                            + "; " + rewards.higher() + " higher, " + rewards.lower() + " lower");
        }
    }

    private static String signed(double value) {
        return String.format(Locale.ROOT, "%+.3f", value);
    }

    private void forEachK(String name, IntToDoubleFunction estimate) {
        line(
                "",
                summary.groups().ks().stream()
                        .map(k -> name + k + " " + number(estimate.applyAsDouble(k)))
                        .collect(Collectors.joining("  ")));
    }

    private void sink(SinkStatus status) {
        line(status.name(), Deliveries.text(status.ledger(), status.detail()));
    }

    private void line(String name, String text) {
        String label = name;
        for (String line : TerminalWidth.wrap(Printable.line(text), TerminalWidth.ofOutput() - width - 1)) {
            out.println(("%-" + width + "s %s").formatted(label, line).stripTrailing());
            label = "";
        }
    }

    private static String shown(Path file) {
        Path here = Path.of("").toAbsolutePath();
        return (file.startsWith(here) ? here.relativize(file) : file).toString();
    }

    private static String duration(@Nullable Duration value) {
        return value == null ? "-" : Durations.text(value);
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.3f", value);
    }
}
