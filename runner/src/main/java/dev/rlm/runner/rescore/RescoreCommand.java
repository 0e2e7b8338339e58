package dev.rlm.runner.rescore;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.RunSelection;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.recorded.JournalVerb;
import dev.rlm.cli.recorded.LateScores;
import dev.rlm.cli.recorded.LimitOption;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.episodes.SetupException;
import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalException;
import dev.rlm.runner.plugin.OpenProviders;
import dev.rlm.sinks.schema.RewardVersion;
import java.lang.reflect.Field;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** The command that gives recorded runs scores: second opinions beside their rewards, under a name and a version. */
@Command(
        name = "rescore",
        description =
                "Scores recorded runs by reward functions or by a model as judge, and says what that would change."
                        + " Scores are added to the journal under a name and a version; runs that have that one are left out.")
public final class RescoreCommand extends JournalVerb {
    private static final int JUDGED_AT_A_TIME = 8;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    private boolean unusedHelp; // without picocli's own mixin, whose --version is that of the program

    @Mixin
    private final RewardChoice rewards = new RewardChoice();

    @Mixin
    private final JudgeOptions judge = new JudgeOptions();

    @Mixin
    private final RunSelection filter = new RunSelection();

    @Mixin
    private final LimitOption limit = new LimitOption();

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "What to call the score (the reward's name, or judge).")
    private @Nullable String name;

    @Option(
            names = "--version",
            required = true,
            paramLabel = "V",
            description = "Its version: another one where functions, judge or rubric are others.")
    private String version = "";

    @Option(
            names = "--pass-reward",
            paramLabel = "R",
            description =
                    "From which score on a run counts as solved in what is said at the end (1.0; of a judge 0.5).")
    private @Nullable Double passReward;

    @Option(
            names = "--decide",
            description =
                    "Have the score decide if a run is solved, from --pass-reward on, and count in its total; also one that it"
                            + " has already.")
    private boolean decide;

    @Option(
            names = "--parallel",
            paramLabel = "N",
            description = "How many runs to score at a time (as many as processors; with a judge 8).")
    private @Nullable Integer parallel;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Set<String> namedVariables() {
        return judge.keyVariable == null ? Set.of() : Set.of(judge.keyVariable);
    }

    @Override
    protected int execute() {
        try {
            return rescore();
        } catch (SetupException e) {
            throw new UsageException(String.valueOf(e.getMessage()), e);
        }
    }

    private int rescore() {
        if (rewards.isGiven() == judge.isGiven()) {
            throw new UsageException("expected either --reward or --judge");
        }
        checkOwners();
        RewardVersion score =
                LateScores.version(name != null ? name : judge.isGiven() ? "judge" : rewards.name(), version);
        double pass = passReward != null ? passReward : judge.isGiven() ? 0.5 : 1.0;
        if (!Double.isFinite(pass)) {
            throw new UsageException("--pass-reward=" + pass + " is not valid: expected a finite number");
        }
        if (!Journal.isAt(directory())) {
            open(); // which says what is wrong
        }
        try (OpenProviders providers = new OpenProviders(config())) {
            Scorer scorer = judge.isGiven() ? judge.judge(config()) : rewards.scorer(providers);
            return rescore(scorer, new Rescored(score, new Changes(pass)), score);
        }
    }

    /** An option of what was not chosen would do nothing. */
    private void checkOwners() {
        Class<?> other = judge.isGiven() ? RewardChoice.class : JudgeOptions.class;
        for (OptionSpec option : given().matchedOptions()) {
            if (((Field) option.userObject()).getDeclaringClass() == other) {
                throw new UsageException(
                        option.longestName() + " is for " + (judge.isGiven() ? "--reward" : "--judge") + " alone");
            }
        }
    }

    private int threads() {
        int threads = parallel != null
                ? parallel
                : judge.isGiven() ? JUDGED_AT_A_TIME : Runtime.getRuntime().availableProcessors();
        Bounds.checkRange("--parallel", threads, 1, 1_000);
        return threads;
    }

    private int rescore(Scorer scorer, Rescored rescored, RewardVersion score) {
        Thread worker = Thread.currentThread();
        int threads = threads();
        try (LateScores scores = new LateScores(directory(), config(), scorer.secrets());
                Interruption interruption = new Interruption(console(), worker::interrupt)) {
            String problem = "";
            try (Progress ignored = loggedProgress(rescored::progress)) {
                Journal journal = openToRead();
                new Rescoring(scorer, score, scores, rescored, threads, decide)
                        .run(journal, limit.latest(journal, filter));
            } catch (Rescoring.StoppedException e) {
                problem = String.valueOf(e.getMessage());
            } catch (JournalException e) {
                if (!interruption.wasTold()) {
                    throw e;
                }
            }
            String missing = scores.finish();
            scores.warning().ifPresent(warning -> err().println("warning: " + warning));
            if (interruption.wasTold()) {
                err().println("interrupted: " + rescored.progress() + "; the same command goes on with the rest");
                return Interruption.EXIT_CODE;
            }
            return report(rescored, missing.isEmpty() ? problem : missing);
        }
    }

    private int report(Rescored rescored, String problem) {
        if (json) {
            rescored.printJson(out());
        } else {
            rescored.print(out());
        }
        if (!problem.isEmpty()) {
            err().println(Printable.line("rlm: " + problem + "; the same command goes on with the rest"));
        }
        return problem.isEmpty() && rescored.isComplete() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }
}
