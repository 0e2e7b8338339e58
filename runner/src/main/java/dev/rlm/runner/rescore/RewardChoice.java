package dev.rlm.runner.rescore;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.cli.Registry;
import dev.rlm.cli.UsageException;
import dev.rlm.episodes.RewardFunction;
import dev.rlm.episodes.RewardNeed;
import dev.rlm.episodes.RewardProvider;
import dev.rlm.runner.plugin.BoundedCalls;
import dev.rlm.runner.plugin.OpenProviders;
import dev.rlm.runner.reward.BuiltInReward;
import dev.rlm.runner.reward.RewardOptions;
import dev.rlm.runner.reward.Rewards;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options of reward functions. */
final class RewardChoice {
    private static final String REWARD = "--reward";

    @Option(
            names = REWARD,
            split = ",",
            paramLabel = "NAME[=WEIGHT]",
            description =
                    "Score by the sum of these: exact, format, brevity, tool_error, step, a plug-in's, or the class"
                            + " of a reward function. May be repeated.")
    private List<String> rewards = new ArrayList<>();

    @Option(
            names = "--reward-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a reward function may take (1m).")
    private Duration timeout = Duration.ofSeconds(60);

    @Option(
            names = "--set",
            paramLabel = "NAME.KEY=VALUE",
            description = "A setting of a plug-in, by the plug-in's name. May be repeated.")
    private Map<String, String> settings = new LinkedHashMap<>();

    boolean isGiven() {
        return !rewards.isEmpty();
    }

    /** Returns the functions that are chosen, by what the user calls them. */
    private Map<String, Double> weights() {
        return RewardOptions.weights(REWARD, rewards);
    }

    /** Returns what to call the score where nothing else is said. */
    String name() {
        String name = String.join("+", weights().keySet());
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /**
     * Returns the sum, of functions that can judge recorded runs.
     *
     * @throws UsageException if one cannot
     */
    FunctionScorer scorer(OpenProviders providers) {
        Bounds.checkAboveZero("--reward-timeout", timeout);
        Map<String, Double> weights = weights();
        checkOwners(weights);
        Registry<RewardProvider> known = providers.find("reward", RewardProvider.class, BuiltInReward.all());
        Map<String, RewardFunction> functions = new LinkedHashMap<>();
        for (String name : weights.keySet()) {
            functions.put(
                    name, name.contains(".") ? ofClass(name, providers) : providers.reward(known.get(name), settings));
        }
        functions.forEach((name, function) ->
                providers.run("asking reward '" + name + "' what it needs", () -> checkNeeds(name, function)));
        BoundedCalls calls = new BoundedCalls("rlm-reward", timeout);
        return new FunctionScorer(Rewards.sum(weights, functions, calls), functions.values());
    }

    private void checkOwners(Map<String, Double> weights) {
        for (String setting : settings.keySet()) {
            String owner = setting.substring(0, Math.max(0, setting.lastIndexOf('.')));
            if (owner.contains(".")) {
                throw new UsageException("--set " + setting
                        + " is for a class, which takes no settings: expected the name of a plug-in's reward");
            } else if (!weights.containsKey(owner)) {
                throw new UsageException("--set " + setting + " is for nothing that was chosen: expected "
                        + String.join(".KEY=VALUE or ", weights.keySet()) + ".KEY=VALUE");
            }
        }
    }

    private static RewardFunction ofClass(String name, OpenProviders providers) {
        List<RewardFunction> made = new ArrayList<>();
        providers.run("making reward '" + name + "'", () -> {
            try {
                Class<?> type = Class.forName(name, true, providers.classLoader());
                if (!RewardFunction.class.isAssignableFrom(type)) {
                    throw new UsageException(
                            REWARD + " " + name + " is no reward function: expected a class that implements "
                                    + RewardFunction.class.getName());
                }
                made.add((RewardFunction) type.getConstructor().newInstance());
            } catch (ClassNotFoundException e) {
                throw new UsageException(
                        REWARD + " " + name + " is not found: expected a class among the plug-ins (RLM_PLUGINS)", e);
            } catch (NoSuchMethodException e) {
                throw new UsageException(REWARD + " " + name + " has no public constructor without arguments", e);
            }
        });
        return made.get(0);
    }

    private static void checkNeeds(String name, RewardFunction function) {
        if (function.needs().contains(RewardNeed.ENVIRONMENT)) {
            throw new UsageException(REWARD + " " + name + " cannot judge recorded runs: it looks at the environment,"
                    + " which is not in their record; nothing was written");
        }
    }
}
