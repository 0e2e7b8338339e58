package dev.rlm.runner.reward;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.episodes.SetupException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** The options that say what runs and steps are rewarded by. */
public final class RewardOptions {
    private static final String RUN = "--reward";
    private static final String STEP = "--step-reward";
    private static final Pattern NUMBER = Pattern.compile("[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d{1,3})?");

    @Option(
            names = RUN,
            split = ",",
            paramLabel = "NAME[=WEIGHT]",
            description =
                    "Reward runs by the sum of these, in the place of what the environment gives for the answer: exact,"
                            + " format, brevity, environment, tool_error, step, or a plug-in's. May be repeated.")
    private List<String> ofRuns = new ArrayList<>();

    @Option(
            names = STEP,
            split = ",",
            paramLabel = "NAME[=WEIGHT]",
            description = "Reward each step by the sum of these, beside what the environment gives. May be repeated.")
    private List<String> ofSteps = new ArrayList<>();

    @Option(
            names = "--reward-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a reward function may take (1m); then the reward is absent.")
    private Duration timeout = Duration.ofSeconds(60);

    /** The weights of a run's reward, by function. */
    Map<String, Double> ofRuns() {
        return weights(RUN, ofRuns);
    }

    /** Those of a step's. */
    Map<String, Double> ofSteps() {
        return weights(STEP, ofSteps);
    }

    /**
     * Reads {@code exact=1.0}, or {@code exact} for the same.
     *
     * @param option that gave them
     * @throws SetupException if one is not valid, or given twice
     */
    public static Map<String, Double> weights(String option, List<String> given) {
        Map<String, Double> weights = new LinkedHashMap<>();
        for (String one : given) {
            int equals = one.indexOf('=');
            String name = (equals < 0 ? one : one.substring(0, equals)).strip();
            String number = equals < 0 ? "1" : one.substring(equals + 1).strip();
            double weight = NUMBER.matcher(number).matches() ? Double.parseDouble(number) : Double.NaN;
            if (name.isEmpty() || !Double.isFinite(weight)) {
                throw new SetupException(option + " '" + one
                        + "' is not valid: expected NAME or NAME=WEIGHT with a finite number, such as exact=1.0");
            }
            if (weights.putIfAbsent(name, weight) != null) {
                throw new SetupException(option + " names '" + name + "' twice");
            }
        }
        return weights;
    }

    Duration timeout() {
        return timeout;
    }

    /**
     * The functions that are asked for.
     *
     * @throws SetupException if the options are not valid
     */
    public Set<String> names() {
        Bounds.checkAboveZero("--reward-timeout", timeout);
        if (ofSteps().containsKey(BuiltInReward.ENVIRONMENT)) {
            throw new SetupException(STEP + " " + BuiltInReward.ENVIRONMENT
                    + " is not valid: what the environment gives for a step counts anyway");
        }
        Set<String> names = new TreeSet<>(ofRuns().keySet());
        names.addAll(ofSteps().keySet());
        return names;
    }
}
