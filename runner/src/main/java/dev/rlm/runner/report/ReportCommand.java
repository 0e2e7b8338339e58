package dev.rlm.runner.report;

import dev.rlm.runner.journal.JournalOption;
import dev.rlm.runner.journal.RunFilter;
import dev.rlm.runner.journal.Since;
import dev.rlm.runner.terminal.Ink;
import dev.rlm.runner.terminal.Interruption;
import dev.rlm.runner.terminal.Json;
import dev.rlm.runner.terminal.Printable;
import dev.rlm.runner.terminal.Progress;
import dev.rlm.runner.terminal.TerminalWidth;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.JournalException;
import dev.rlm.sinks.schema.MetricLabels;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command that says what the runs of a journal came to. */
@Command(
        name = "report",
        description =
                "Says what the runs of a journal came to: how good, how sure, where it failed, what it cost; or where"
                        + " their time went, or how training went on.",
        mixinStandardHelpOptions = true)
public final class ReportCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    @Mixin
    private final JournalOption journalOption;

    @Mixin
    private final RunFilter filter = new RunFilter();

    @Option(
            names = "--against",
            paramLabel = "OTHER",
            converter = OtherSide.Converter.class,
            description = "Compare, sample by sample, with another journal's folder, with model=NAME, or with"
                    + " tag=NAME=VALUE; may be given again.")
    private List<OtherSide> against = new ArrayList<>();

    @Mixin
    private final FigureOptions figures = new FigureOptions();

    @Option(names = "--all-attempts", description = "Count every attempt at a rollout, and not only its last.")
    private boolean allAttempts;

    @ArgGroup
    private @Nullable Other other;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            converter = Since.class,
            description = "With --metrics: numbers reported from then on: a time, or an age such as 2h.")
    private @Nullable Instant since;

    @ArgGroup
    private @Nullable Form form;

    private final SinkConfig config;

    private final boolean terminal;
    private final String program;

    /** The command, for a program with this configuration, whose progress a person may see, and that is called so. */
    public ReportCommand(SinkConfig config, boolean terminal, String program) {
        journalOption = new JournalOption(config);
        this.config = config;
        this.terminal = terminal;
        this.program = program;
    }

    @Override
    public Integer call() {
        checkOptions();
        Thread worker = Thread.currentThread();
        try (Interruption ignored = new Interruption(worker::interrupt)) {
            Forms forms = read();
            if (Thread.interrupted()) {
                return Interruption.EXIT_CODE; // what was read until then is not the whole
            }
            print(forms);
            return CommandLine.ExitCode.OK;
        } catch (JournalException | SinkConfigException e) {
            if (Thread.interrupted()) {
                return Interruption.EXIT_CODE;
            }
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), Printable.line(message));
    }

    private void checkOptions() {
        Subject subject = subject();
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            if (!subject.takes(option.longestName())) {
                throw usage(subject.title() + " does not take " + option.longestName());
            }
        }
        String wrong = figures.wrong();
        if (wrong == null && subject == Subject.PHASES && figures.isByTool()) {
            wrong = "--phases does not take --by=tool: tools have no time of their own but their calls'";
        }
        if (wrong != null) {
            throw usage(wrong);
        }
    }

    private Subject subject() {
        return other == null ? Subject.RUNS : other.metrics ? Subject.METRICS : Subject.PHASES;
    }

    private Forms read() {
        return switch (subject()) {
            case METRICS -> new TrainingForms(TrainingReport.of(journalOption.open(), since, MetricLabels.of(config)));
            case PHASES -> readPhases();
            case RUNS -> new RunReportForms(readRuns(), figures.worst(), program, journalOption.toRepeat());
        };
    }

    private Forms readPhases() {
        AtomicLong read = new AtomicLong();
        try (Progress ignored = progress(read)) {
            Reading reading = new Reading(journalOption.open(), allAttempts, read);
            Reading.Chosen<Phases> chosen = reading.choose(new Phases(figures.by()), filter);
            reading.run();
            return new PhaseForms(chosen.source(), chosen.side());
        }
    }

    private Progress progress(AtomicLong read) {
        return new Progress(
                spec.commandLine().getErr(), terminal, () -> "reading the journal: " + read.get() + " runs so far");
    }

    private Report readRuns() {
        AtomicLong read = new AtomicLong();
        try (Progress ignored = progress(read)) {
            OtherSide other = otherSide();
            Reading reading = new Reading(journalOption.open(), allAttempts, read);
            Reading.Chosen<Side> here = reading.choose(figures.side(), filter);
            Report.Against compared = null;
            if (other == null) {
                reading.run();
            } else {
                compared = compare(other, reading, here, read);
            }
            return new Report(
                    figures.dimensions(), figures.attempts(), figures.rule(), here.source(), here.side(), compared);
        }
    }

    /** Reads both sides, in one pass where they are in one journal. */
    private Report.Against compare(OtherSide other, Reading reading, Reading.Chosen<Side> here, AtomicLong read) {
        RunFilter otherFilter = filter.against(other.model(), other.tags());
        Reading otherReading =
                other.journal() == null ? reading : new Reading(Journal.open(other.journal()), allAttempts, read);
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

    private @Nullable OtherSide otherSide() {
        try {
            return OtherSide.of(against);
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    private void checkApart(Reading.Chosen<Side> here, Reading.Chosen<Side> there) {
        long common = Reading.common(here, there);
        if (common > 0) {
            throw usage("--against: " + common + " of the runs are on both sides; choose this side too, as in"
                    + " --model A --against model=B");
        }
    }

    /** The folder where that is what differs, and what else was asked for. */
    private static String name(RunFilter filter, Reading.Chosen<Side> side, OtherSide other) {
        String folder = other.journal() == null ? "" : side.source().journal().toString();
        String label = filter.label();
        return folder + (folder.isEmpty() || label.isEmpty() ? "" : ", ") + label;
    }

    private void print(Forms forms) {
        PrintWriter out = spec.commandLine().getOut();
        if (form != null && form.json) {
            Json.print(out, forms::json);
        } else if (form != null && form.csv) {
            forms.csv(out);
        } else {
            Sheet sheet = form != null && form.markdown
                    ? new MarkdownSheet(out)
                    : new TerminalSheet(out, Ink.of(spec.commandLine()), TerminalWidth.ofOutput());
            forms.print(sheet);
            sheet.finish();
        }
        out.flush();
        if (form != null && (form.json || form.csv)) {
            forms.damage().forEach(line -> spec.commandLine().getErr().println(line));
            spec.commandLine().getErr().flush();
        }
    }

    /** What to report on instead of what the runs came to. */
    private static final class Other {
        @Option(names = "--metrics", description = "The numbers of training that were reported, as curves.")
        private boolean metrics;

        @Option(names = "--phases", description = "Where the time of the runs goes: spans, steps, calls, rewards.")
        @SuppressWarnings("unused") // what is left
        private boolean phases;
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
