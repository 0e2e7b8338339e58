package dev.rlm.runs.label;

import dev.rlm.cli.Interruption;
import dev.rlm.cli.RunFilter;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.recorded.JournalVerb;
import dev.rlm.cli.recorded.LateScores;
import dev.rlm.cli.recorded.LimitOption;
import dev.rlm.cli.recorded.Scores;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.index.EventRow;
import dev.rlm.runs.ConversationView;
import dev.rlm.runs.TextLimits;
import dev.rlm.runs.exchange.input.StoppableInput;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.schema.RewardVersion;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command by which a person labels recorded runs, without a look at their rewards, and by which judges are held against that. */
@Command(
        name = "label",
        description =
                "Shows recorded runs without their rewards, one after another, and takes what a person says of each;"
                        + " with --agreement it says how far scores agree with that.")
public final class LabelCommand extends JournalVerb {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    private boolean unusedHelp; // without picocli's own mixin, whose --version is that of the program

    @Mixin
    private final RunFilter filter = new RunFilter();

    @Mixin
    private final LimitOption limit = new LimitOption();

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "What to call the labels (label), such as by who gives them.")
    private String name = "label";

    @Option(names = "--version", paramLabel = "V", description = "Their version (1): another one for another question.")
    private String version = "1";

    @Option(
            names = "--shuffle",
            paramLabel = "SEED",
            description = "Show the runs in a random order, the same for the same seed; as they started unless given.")
    private @Nullable Long shuffle;

    @Option(
            names = "--decide",
            description =
                    "Have the labels decide if the runs are solved, and count in their totals; also those given before.")
    private boolean decide;

    @Option(names = "--agreement", description = "Label nothing: say how far each score agrees with the labels.")
    private boolean agreement;

    @Option(
            names = "--min-kappa",
            paramLabel = "X",
            description = "With --agreement: exit code 1 where the kappa of a judge is below.")
    private @Nullable Double minKappa;

    @Option(
            names = "--pass-reward",
            paramLabel = "R",
            description = "With --agreement: from which score on a run is solved (0.5).")
    private @Nullable Double passReward;

    @Option(names = "--json", description = "With --agreement: print one JSON object.")
    private boolean json;

    @Override
    protected int execute() throws IOException {
        RewardVersion label = LateScores.version(name, version);
        if (agreement && shuffle != null) {
            throw new UsageException("--shuffle is not for --agreement");
        } else if (agreement && decide) {
            throw new UsageException("--decide is not for --agreement");
        } else if (agreement) {
            return agreement(label);
        } else if (minKappa != null || passReward != null || json) {
            throw new UsageException("--min-kappa, --pass-reward and --json are for --agreement");
        }
        if (!Journal.isAt(directory())) {
            open(); // which says what is wrong
        }
        StoppableInput input = new StoppableInput(console().in());
        try (LateScores scores = new LateScores(directory(), config(), List.of());
                Interruption interruption = new Interruption(console(), input::stop)) {
            Journal journal = open();
            List<RunSummary> open = open(journal, label);
            int labelled = label(journal, open, label, scores, input);
            String missing = scores.finish();
            out().println();
            out().println(labelled + " of " + open.size() + " runs labelled as " + label
                    + (labelled < open.size() ? "; the same command goes on with the rest" : ""));
            out().flush();
            if (!missing.isEmpty()) {
                console().error(missing);
                return CommandLine.ExitCode.SOFTWARE;
            }
            return interruption.wasTold() ? Interruption.EXIT_CODE : CommandLine.ExitCode.OK;
        }
    }

    /** Returns the runs that have ended and have no such label. */
    private List<RunSummary> open(Journal journal, RewardVersion label) {
        List<RunSummary> runs = new ArrayList<>(limit.latest(journal, filter));
        runs.removeIf(run -> run.row().end() == null);
        if (shuffle != null) {
            Collections.shuffle(runs, new Random(shuffle));
        }
        runs.removeIf(run -> {
            EventRow.Reward known = Scores.of(run.eventRows()).get(label);
            return known != null && (!decide || known.solved() != null);
        });
        return runs;
    }

    private int label(
            Journal journal, List<RunSummary> runs, RewardVersion label, LateScores scores, StoppableInput input)
            throws IOException {
        BufferedReader answers = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
        int labelled = 0;
        for (int i = 0; i < runs.size(); i++) {
            RunSummary run = runs.get(i);
            List<RunEvent> events = journal.events(run.runId());
            EventRow.Reward known = Scores.of(run.eventRows()).get(label);
            if (known != null) {
                labelled++;
                if (!scores.decide(events, Instant.now(), label, Scores.reward(known), Calibration.LABELLED_SOLVED)) {
                    break;
                }
                continue;
            }
            out().println(ink().bold("run " + (i + 1) + " of " + runs.size()) + "  " + Printable.line(run.runId()));
            show(run, events, false);
            Instant begun = Instant.now();
            String said = said(run, events, answers);
            if (said.equals("q")) {
                break;
            }
            LabelAnswer answer = LabelAnswer.of(said);
            if (answer != null) {
                boolean goesOn = decide
                        ? scores.decide(events, begun, label, answer.reward(), Calibration.LABELLED_SOLVED)
                        : scores.give(events, begun, Map.of(label, answer.reward()));
                labelled++;
                if (!goesOn) {
                    break; // the end says why
                }
            }
        }
        return labelled;
    }

    /** Asks until there is an answer, or a wish to skip or quit: {@code s}, {@code q}; the latter also at the end of the input. */
    private String said(RunSummary run, List<RunEvent> events, BufferedReader answers) throws IOException {
        while (true) {
            out().print("solved? y, n, 0 to 1, m, s, q: ");
            out().flush();
            String line = answers.readLine();
            String said = line == null ? "q" : line.strip();
            if (said.equals("m")) {
                show(run, events, true);
            } else if (said.equals("s") || said.equals("q") || LabelAnswer.of(said) != null) {
                return said;
            } else {
                out().println("expected " + LabelAnswer.FORMS);
            }
        }
    }

    /** Shows task and answer, or all that was said; never a reward. */
    private void show(RunSummary run, List<RunEvent> events, boolean all) {
        PrintWriter out = out();
        ConversationView view = new ConversationView(out, ink(), all ? TextLimits.FULL : TextLimits.SHORT);
        view.begin(run);
        for (RunEvent event : events) {
            if (all || event instanceof RunEnded) {
                view.accept(event);
            }
        }
        view.finish();
    }

    private int agreement(RewardVersion label) {
        double pass = passReward == null ? 0.5 : passReward;
        if (!Double.isFinite(pass)) {
            throw new UsageException("--pass-reward=" + pass + " is not valid: expected a finite number");
        } else if (minKappa != null && !(minKappa >= -1 && minKappa <= 1)) {
            throw new UsageException("--min-kappa=" + minKappa + " is not valid: expected a number from -1 to 1");
        }
        Calibration calibration = new Calibration(label, pass);
        limit.latest(open(), filter).forEach(calibration::add);
        if (calibration.labelled() == 0) {
            console().error("no run has the label " + label + ": rlm label gives it");
            return CommandLine.ExitCode.SOFTWARE;
        }
        if (json) {
            calibration.printJson(out());
        } else {
            calibration.print(out(), ink());
        }
        if (minKappa == null) {
            return CommandLine.ExitCode.OK;
        }
        List<String> below = calibration.below(minKappa);
        if (!calibration.hasJudges()) {
            console().error("--min-kappa: no labelled run has a judge's score");
        } else if (!below.isEmpty()) {
            console().error("kappa is below " + minKappa + ", or cannot be told: " + String.join(", ", below));
        }
        return calibration.hasJudges() && below.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }
}
