package dev.rlm.runs.report;

import dev.rlm.cli.Interruption;
import dev.rlm.cli.RunFilter;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.recorded.JournalVerb;
import dev.rlm.cli.recorded.LimitOption;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.cli.terminal.TerminalWidth;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.runs.health.HealthRule;
import dev.rlm.runs.report.curves.Axis;
import dev.rlm.runs.report.curves.CurveForms;
import dev.rlm.runs.report.curves.Curves;
import dev.rlm.runs.report.curves.TrainingForms;
import dev.rlm.runs.report.failures.FailedCallForms;
import dev.rlm.runs.report.failures.FailedCalls;
import dev.rlm.runs.report.figures.Rows;
import dev.rlm.runs.report.health.FailOn;
import dev.rlm.runs.report.health.HealthForms;
import dev.rlm.runs.report.health.HealthRecord;
import dev.rlm.runs.report.health.TrainingAxis;
import dev.rlm.runs.report.phases.Intervals;
import dev.rlm.runs.report.phases.PhaseForms;
import dev.rlm.runs.report.phases.Phases;
import dev.rlm.runs.report.results.Comparison;
import dev.rlm.runs.report.results.Report;
import dev.rlm.runs.report.results.RunForms;
import dev.rlm.runs.report.results.Side;
import dev.rlm.runs.report.rewards.RewardForms;
import dev.rlm.runs.report.rewards.RewardRow;
import dev.rlm.runs.report.sheets.Forms;
import dev.rlm.runs.report.sheets.MarkdownSheet;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.runs.report.sheets.Sheet;
import dev.rlm.runs.report.sheets.TerminalSheet;
import dev.rlm.runs.report.tokens.TokenAudit;
import dev.rlm.runs.report.tokens.TokenForms;
import dev.rlm.runs.report.tokens.TrajectoryForms;
import dev.rlm.runs.report.tokens.TrajectoryRow;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.schema.MetricLabels;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The command that says what the runs of a journal came to. */
@Command(
        name = "report",
        description =
                "Says what the runs of a journal came to: how good, how sure, where it failed, what it cost; or where"
                        + " their time went, how rewards and training went on and how healthy that is, or what is wrong"
                        + " with their tokens.",
        mixinStandardHelpOptions = true)
public final class ReportCommand extends JournalVerb {
    @Mixin
    private final RunFilter filter = new RunFilter();

    @Option(
            names = "--against",
            paramLabel = "OTHER",
            description =
                    "Compare, sample by sample, with another journal's folder, or with runs that this option of list"
                            + " chooses, such as model=NAME, tag=NAME=VALUE or policy-version=2; may be given again.")
    private List<String> against = new ArrayList<>();

    @Mixin
    private final LimitOption limit = new LimitOption();

    @Mixin
    private final FigureOptions figures = new FigureOptions();

    @Option(names = "--all-attempts", description = "Count every attempt at a rollout, and not only its last.")
    private boolean allAttempts;

    @ArgGroup
    private @Nullable Other other;

    @Option(
            names = "--x-axis",
            paramLabel = "WHAT",
            converter = Axis.Converter.class,
            description = "With --curves: train-step, epoch, policy-version or time; the first that the runs tell.")
    private @Nullable Axis axis;

    @Option(
            names = "--fail-on",
            paramLabel = "RULE",
            split = ",",
            converter = FailOn.Converter.class,
            description =
                    "End with 1: with --against where it is worse by the whole interval of reward or solved rate; with --health"
                            + " where this rule finds its fault, or any does. Where there was nothing to tell it by, with 2;"
                            + " may be given again.")
    private List<FailOn> failOn = new ArrayList<>();

    @Option(
            names = "--bound",
            paramLabel = "RULE=NUMBER",
            converter = {FailOn.RuleConverter.class, Bound.class},
            description =
                    "With --health: the bound by which this rule decides, such as truncation=0.2; may be given again.")
    private Map<HealthRule, Double> bounds = new EnumMap<>(HealthRule.class);

    @ArgGroup
    private @Nullable Form form;

    private final AtomicLong read = new AtomicLong(); // runs

    @Override
    protected int execute() throws Exception {
        checkOptions();
        return interruptibly(() -> {
            Forms forms = read();
            if (Thread.interrupted()) {
                return Interruption.EXIT_CODE; // what was read until then is not the whole
            }
            return print(forms);
        });
    }

    private void checkOptions() {
        Subject subject = subject();
        for (OptionSpec option : given().matchedOptions()) {
            if (!subject.takes(option.longestName())) {
                throw new UsageException(subject.title() + " does not take " + option.longestName());
            }
        }
        String wrong = figures.wrong();
        if (wrong == null && figures.isByTool() && subject == Subject.PHASES) {
            wrong = "--phases does not take --by=tool: tools have no time of their own but their calls'";
        } else if (wrong == null
                && figures.isByTool()
                && (subject == Subject.TRAJECTORIES || subject == Subject.REWARDS)) {
            wrong = subject.title() + " does not take --by=tool: a run calls many";
        }
        if (wrong != null) {
            throw new UsageException(wrong);
        }
        checkFailOn(subject);
    }

    private void checkFailOn(Subject subject) {
        if (!failOn.isEmpty() && subject == Subject.RUNS && against.isEmpty()) {
            throw new UsageException(subject.title() + " does not take --fail-on, but with --against");
        }
        for (FailOn each : failOn) {
            if (each.worse() != (subject == Subject.RUNS)) {
                throw new UsageException("--fail-on=worse is for --against, rules are for --health");
            }
        }
    }

    private Subject subject() {
        return other == null ? Subject.RUNS : other.subject();
    }

    private Forms read() {
        if (subject() == Subject.METRICS) {
            return TrainingForms.of(open(), filter, MetricLabels.of(config()));
        }
        try (Progress ignored = progress(() -> "reading the journal: " + Counted.of(read.get(), "run") + " so far")) {
            return switch (subject()) {
                case CURVES -> readCurves();
                case PHASES -> readPhases();
                case TRAJECTORIES -> readTrajectories();
                case REWARDS -> readRewards();
                case TOKENS -> readTokens();
                case FAILED_TOOLS -> readFailedTools();
                case HEALTH -> readHealth();
                default ->
                    new RunForms(readRuns(), figures.worst(), console().program(), toRepeat(), !failOn.isEmpty());
            };
        }
    }

    private Forms readCurves() {
        Journal journal = openToRead();
        Collection<MetricsReported> reports = journal.metrics().stream()
                .filter(report -> filter.contains(report.time()))
                .toList();
        Reading reading = reading(journal, Curves.KINDS);
        Reading.Chosen<Curves> chosen = reading.chooseFor(
                runs -> new Curves(
                        axis == null ? Axis.ofFirst(runs, reports) : axis,
                        Axis.seconds(Stream.concat(
                                runs.stream().map(RunSummary::startedAt),
                                reports.stream().map(MetricsReported::time)))),
                filter);
        reading.run();
        reports.forEach(chosen.side()::add);
        return new CurveForms(chosen.source(), chosen.side());
    }

    private Forms readPhases() {
        Reading reading = reading(openToRead(), Intervals.KINDS);
        Reading.Chosen<Phases> chosen = reading.choose(new Phases(figures.by()), filter);
        reading.run();
        return new PhaseForms(chosen.source(), chosen.side());
    }

    private Forms readTrajectories() {
        Reading reading = reading(openToRead(), TrajectoryRow.KINDS);
        Reading.Chosen<Rows<TrajectoryRow>> chosen =
                reading.choose(new Rows<>(figures.by(), TrajectoryRow::new), filter);
        reading.run();
        return new TrajectoryForms(chosen.source(), chosen.side());
    }

    private Forms readRewards() {
        Reading reading = reading(openToRead(), RewardRow.KINDS);
        Reading.Chosen<Rows<RewardRow>> chosen = reading.choose(new Rows<>(figures.by(), RewardRow::new), filter);
        reading.run();
        return new RewardForms(chosen.source(), chosen.side());
    }

    private Forms readTokens() {
        Reading reading = reading(openToRead(), TokenAudit.KINDS);
        Reading.Chosen<TokenAudit> chosen = reading.choose(new TokenAudit(), filter);
        reading.run();
        return new TokenForms(chosen.source(), chosen.side());
    }

    private Forms readFailedTools() {
        Reading reading = reading(openToRead(), FailedCalls.KINDS);
        Reading.Chosen<FailedCalls> chosen = reading.choose(new FailedCalls(), filter);
        reading.run();
        return new FailedCallForms(chosen.source(), chosen.side());
    }

    private Forms readHealth() {
        Journal journal = openToRead();
        TrainingForms numbers = TrainingForms.of(journal, filter, MetricLabels.of(config()));
        Reading reading = reading(journal, HealthRecord.KINDS);
        Reading.Chosen<HealthRecord> chosen =
                reading.chooseFor(runs -> new HealthRecord(TrainingAxis.of(runs)), filter);
        reading.run();
        return HealthForms.of(chosen.source(), chosen.side(), numbers, bounds, failOn);
    }

    private Reading reading(Journal journal, Set<Class<? extends RunEvent>> kinds) {
        return new Reading(journal, allAttempts, figures.rule(), kinds, limit, read);
    }

    private Report readRuns() {
        OtherSide other = OtherSide.of(against);
        Reading reading = reading(open(), Set.of());
        Reading.Chosen<Side> here = reading.choose(figures.side(), filter);
        Report.Against compared = null;
        if (other == null) {
            reading.run();
        } else {
            compared = compare(other, reading, here);
        }
        return new Report(
                figures.dimensions(), figures.attempts(), figures.rule(), here.source(), here.side(), compared);
    }

    /** Reads both sides, in one pass where they are in one journal. */
    private Report.Against compare(OtherSide other, Reading reading, Reading.Chosen<Side> here) {
        RunFilter otherFilter = filter.with(other.filter());
        Reading otherReading =
                other.journal() == null ? reading : reading(Journal.open(other.journal(), index()), Set.of());
        Reading.Chosen<Side> there = otherReading.choose(figures.side(), otherFilter);
        checkApart(here, there);
        reading.run();
        if (otherReading != reading) {
            otherReading.run();
        }
        return new Report.Against(
                name(filter, here, other),
                name(otherFilter, there, other),
                there.source(),
                there.side(),
                Comparison.of(here.side(), there.side()));
    }

    private void checkApart(Reading.Chosen<Side> here, Reading.Chosen<Side> there) {
        long common = Reading.common(here, there);
        if (common > 0) {
            throw new UsageException("--against: " + common
                    + " of the runs are on both sides; choose this side too, as in --model A --against model=B");
        }
    }

    /** The folder where that is what differs, and what else was asked for. */
    private static String name(RunFilter filter, Reading.Chosen<Side> side, OtherSide other) {
        String folder = other.journal() == null ? "" : side.source().journal().toString();
        String label = filter.label();
        return folder + (folder.isEmpty() || label.isEmpty() ? "" : ", ") + label;
    }

    /** Prints the report, and as the last line why it is to fail, where that is so. Returns the exit code. */
    private int print(Forms forms) {
        PrintWriter out = out();
        Consumer<String> last = console()::error;
        if (form != null && form.json) {
            forms.json().printJson(out);
        } else if (form != null && form.csv) {
            Iterator<NamedFigures> lines = forms.csv().iterator();
            lines.next().printHead(out);
            lines.forEachRemaining(line -> line.printLine(out));
        } else {
            Sheet sheet = form != null && form.markdown
                    ? new MarkdownSheet(out)
                    : new TerminalSheet(out, ink(), TerminalWidth.ofOutput());
            forms.print(sheet);
            sheet.finish();
            last = sheet::last;
        }
        out.flush();
        if (form != null && (form.json || form.csv)) {
            forms.damage().forEach(line -> err().println(line));
            err().flush();
        }
        Optional<String> failure = forms.failure();
        failure.ifPresent(last);
        out.flush();
        return failure.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    /** Subjects of a report other than the results of runs. */
    private static final class Other {
        @Option(
                names = "--metrics",
                description = "The numbers of training that were reported, as curves, in the place of all else.")
        private boolean metrics;

        @Option(
                names = "--curves",
                description = "Rewards, their parts, numbers of runs and reported numbers as curves along training.")
        private boolean curves;

        @Option(names = "--phases", description = "Where the time of the runs goes: spans, steps, calls, rewards.")
        @SuppressWarnings("unused") // what is left
        private boolean phases;

        @Option(names = "--trajectories", description = "Lengths of the runs: turns, calls, tokens of responses.")
        private boolean trajectories;

        @Option(names = "--rewards", description = "Rewards by source and part: how large, how spread, what decides.")
        private boolean rewards;

        @Option(names = "--tokens", description = "An audit of the token ids and log probabilities of model calls.")
        private boolean tokens;

        @Option(names = "--failed-tools", description = "The failed tool calls, with their arguments and errors.")
        private boolean failedTools;

        @Option(
                names = "--health",
                description = "The faults that rules find of a training, and the runs that show them.")
        private boolean health;

        Subject subject() {
            if (metrics) {
                return Subject.METRICS;
            } else if (curves) {
                return Subject.CURVES;
            } else if (trajectories) {
                return Subject.TRAJECTORIES;
            } else if (rewards) {
                return Subject.REWARDS;
            } else if (tokens) {
                return Subject.TOKENS;
            } else if (failedTools) {
                return Subject.FAILED_TOOLS;
            }
            return health ? Subject.HEALTH : Subject.PHASES;
        }
    }

    /** Reads the bound of a rule. */
    private static final class Bound implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            try {
                double bound = Double.parseDouble(text);
                if (bound >= 0 && Double.isFinite(bound)) {
                    return bound;
                }
            } catch (NumberFormatException e) {
                // then it is none
            }
            throw new TypeConversionException("'" + text + "' is not a number from 0 on");
        }
    }

    /** The forms to choose one of; tables for a person unless given. */
    private static final class Form {
        @Option(names = "--json", description = "Print one JSON object with everything.")
        private boolean json;

        @Option(names = "--csv", description = "Print the rows as CSV: those of the tools with --by tool.")
        private boolean csv;

        @Option(names = "--markdown", description = "Print tables in Markdown, for a pull request.")
        private boolean markdown;
    }
}
