package dev.rlm.runs.report;

import dev.rlm.runs.report.figures.Dimension;
import dev.rlm.runs.report.figures.PassRule;
import dev.rlm.runs.report.results.Side;
import dev.rlm.sinks.RunSpec.PassOn;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say which figures there are to be. */
final class FigureOptions {
    private static final int MANY = 100_000;

    @Option(
            names = "--by",
            paramLabel = "WHAT",
            split = ",",
            converter = Dimension.Converter.class,
            description =
                    "A row for each environment, model, sample, split, experiment, epoch, train-step, policy-version,"
                            + " trajectory-index, failure, layer or tool; may be given again (environment and model).")
    private List<Dimension> by = new ArrayList<>();

    @Option(names = "--k", paramLabel = "N", split = ",", description = "For which k to give pass@k and pass^k.")
    private List<Integer> attempts = new ArrayList<>();

    @Option(names = "--worst", paramLabel = "N", description = "How many of the worst samples to show (5).")
    private int worst = 5;

    @Option(
            names = "--pass-reward",
            paramLabel = "R",
            description = "Decide again which runs are solved: from this reward on (1.0), late rewards included.")
    private @Nullable Double passReward;

    @Option(
            names = "--pass-on",
            paramLabel = "WHICH",
            description = "Decide again which runs are solved: by the last reward (default) or the total.")
    private @Nullable PassOn passOn;

    /** Returns the fault of the options; {@code null} if there is none. */
    @Nullable
    String wrong() {
        String wrong = wrong(attempts);
        if (wrong != null) {
            return wrong;
        }
        if (worst < 0) {
            return "--worst=" + worst + " is not valid: expected a whole number from 0 on";
        }
        return passReward == null || Double.isFinite(passReward)
                ? null
                : "--pass-reward=" + passReward + " is not valid: expected a finite number";
    }

    /** Returns the fault of these k; {@code null} where there is none. */
    static @Nullable String wrong(List<Integer> attempts) {
        return attempts.stream()
                .filter(k -> k < 1 || k > MANY)
                .map(k -> "--k=" + k + " is not valid: expected whole numbers from 1 to " + MANY + ", such as 1,4,8")
                .findFirst()
                .orElse(null);
    }

    List<Dimension> dimensions() {
        return by.isEmpty() ? List.of(Dimension.ENVIRONMENT, Dimension.MODEL) : by();
    }

    /** Returns the dimensions that were asked for, each once; no default stands in for them. */
    List<Dimension> by() {
        return List.copyOf(new LinkedHashSet<>(by));
    }

    boolean isByTool() {
        return by.contains(Dimension.TOOL);
    }

    List<Integer> attempts() {
        return attempts;
    }

    int worst() {
        return worst;
    }

    PassRule rule() {
        return passReward == null && passOn == null
                ? PassRule.RECORDED
                : new PassRule(passReward == null ? 1.0 : passReward, passOn == null ? PassOn.LAST : passOn);
    }

    /** A side without runs, which counts these figures. */
    Side side() {
        return new Side(dimensions().stream()
                .filter(dimension -> dimension != Dimension.TOOL)
                .toList());
    }
}
