package dev.rlm.runner.report;

import dev.rlm.runner.journal.JournalOption;
import dev.rlm.runner.journal.RunFilter;
import dev.rlm.runner.terminal.Ink;
import dev.rlm.runner.terminal.Interruption;
import dev.rlm.runner.terminal.Printable;
import dev.rlm.runner.terminal.Progress;
import dev.rlm.sinks.RunSpec.PassOn;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.JournalException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command that says what the runs of a journal came to. */
@Command(
        name = "report",
        description = "Says what the runs of a journal came to: how good, how sure, where it failed, what it cost.",
        mixinStandardHelpOptions = true)
public final class ReportCommand implements Callable<Integer> {
    private static final int MANY = 100_000;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    @Mixin
    private final JournalOption journalOption;

    @Mixin
    private final RunFilter filter = new RunFilter();

    @Option(
            names = "--by",
            paramLabel = "WHAT",
            split = ",",
            converter = Dimension.Converter.class,
            description = "A row for each environment, model, sample, split, train-step, policy-version or tool;"
                    + " may be given again (environment and model).")
    private List<Dimension> by = new ArrayList<>();

    @Option(
            names = "--against",
            paramLabel = "OTHER",
            converter = OtherSide.Converter.class,
            description = "Compare, sample by sample, with another journal's folder, with model=NAME, or with"
                    + " tag=NAME=VALUE; may be given again.")
    private List<OtherSide> against = new ArrayList<>();

    @Option(names = "--k", paramLabel = "N,N…", split = ",", description = "For which k to give pass@k and pass^k.")
    private List<Integer> attempts = new ArrayList<>();

    @Option(names = "--worst", paramLabel = "N", description = "How many of the worst samples to show (5).")
    private int worst = 5;

    @Option(
            names = "--pass-reward",
            paramLabel = "R",
            description = "Decide anew which runs are solved: from this reward on (1.0), late rewards included.")
    private @Nullable Double passReward;

    @Option(
            names = "--pass-on",
            paramLabel = "WHICH",
            description = "Decide anew which runs are solved: by the last reward (default) or the total.")
    private @Nullable PassOn passOn;

    @Option(names = "--all-attempts", description = "Count every attempt at a rollout, and not only its last.")
    private boolean allAttempts;

    @ArgGroup
    private @Nullable Form form;

    private final boolean terminal;
    private final String program;

    /** The command, for a program with this configuration, whose progress a person may see, and that is called so. */
    public ReportCommand(SinkConfig config, boolean terminal, String program) {
        journalOption = new JournalOption(config);
        this.terminal = terminal;
        this.program = program;
    }

    @Override
    public Integer call() {
        check();
        Thread worker = Thread.currentThread();
        try (Interruption ignored = new Interruption(worker::interrupt)) {
            Report report = read();
            if (Thread.interrupted()) {
                return Interruption.EXIT_CODE; // what was read until then is not the whole
            }
            print(report);
            return CommandLine.ExitCode.OK;
        } catch (JournalException | SinkConfigException e) {
            if (Thread.interrupted()) {
                return Interruption.EXIT_CODE;
            }
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    private void check() {
        for (int k : attempts) {
            if (k < 1 || k > MANY) {
                throw usage("--k=" + k + " is not valid: expected whole numbers from 1 to " + MANY + ", such as 1,4,8");
            }
        }
        if (worst < 0) {
            throw usage("--worst=" + worst + " is not valid: expected a whole number from 0 on");
        }
        if (passReward != null && !Double.isFinite(passReward)) {
            throw usage("--pass-reward=" + passReward + " is not valid: expected a finite number");
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), Printable.line(message));
    }

    private Report read() {
        AtomicLong read = new AtomicLong();
        try (Progress ignored = new Progress(
                spec.commandLine().getErr(), terminal, () -> "reading the journal: " + read.get() + " runs so far")) {
            OtherSide other = otherSide();
            Reading reading = new Reading(journalOption.open(), allAttempts, read);
            Reading.Chosen here = reading.choose(side(), filter);
            if (other == null) {
                reading.run();
                return new Report(dimensions(), attempts, rule(), here.source(), here.side(), null);
            }
            RunFilter otherFilter = filter.against(other.model(), other.tags());
            Reading otherReading =
                    other.journal() == null ? reading : new Reading(Journal.open(other.journal()), allAttempts, read);
            Reading.Chosen there = otherReading.choose(side(), otherFilter);
            checkApart(here, there);
            reading.run();
            if (otherReading != reading) {
                otherReading.run();
            }
            Report.Against against = new Report.Against(
                    name(filter, here, other),
                    name(otherFilter, there, other),
                    there.source(),
                    there.side(),
                    Comparison.of(here.side(), there.side()));
            return new Report(dimensions(), attempts, rule(), here.source(), here.side(), against);
        }
    }

    private @Nullable OtherSide otherSide() {
        try {
            return OtherSide.of(against);
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    private void checkApart(Reading.Chosen here, Reading.Chosen there) {
        long common = Reading.common(here, there);
        if (common > 0) {
            throw usage("--against: " + common + " of the runs are on both sides; choose this side too, as in"
                    + " --model A --against model=B");
        }
    }

    /** The folder where that is what differs, and what else was asked for. */
    private static String name(RunFilter filter, Reading.Chosen side, OtherSide other) {
        String folder = other.journal() == null ? "" : side.source().journal().toString();
        String label = filter.label();
        return folder + (folder.isEmpty() || label.isEmpty() ? "" : ", ") + label;
    }

    private Side side() {
        return new Side(
                dimensions().stream()
                        .filter(dimension -> dimension != Dimension.TOOL)
                        .toList(),
                rule());
    }

    private List<Dimension> dimensions() {
        return by.isEmpty() ? List.of(Dimension.ENVIRONMENT, Dimension.MODEL) : List.copyOf(new LinkedHashSet<>(by));
    }

    private PassRule rule() {
        return passReward == null && passOn == null
                ? PassRule.RECORDED
                : new PassRule(passReward == null ? 1.0 : passReward, passOn == null ? PassOn.LAST : passOn);
    }

    private void print(Report report) {
        PrintWriter out = spec.commandLine().getOut();
        if (form != null && form.json) {
            new ReportJson(report, worst).print(out);
        } else if (form != null && form.csv) {
            ReportCsv.print(report, out);
        } else {
            Sheet sheet = form != null && form.markdown
                    ? new MarkdownSheet(out)
                    : new TerminalSheet(out, Ink.of(spec.commandLine()));
            new ReportText(report, worst, program, journalOption.toRepeat()).print(sheet);
        }
        out.flush();
        if (form != null && (form.json || form.csv)) {
            Notes.damage(report).forEach(line -> spec.commandLine().getErr().println(line));
            spec.commandLine().getErr().flush();
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
