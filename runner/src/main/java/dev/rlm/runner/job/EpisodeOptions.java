package dev.rlm.runner.job;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.cli.UsageException;
import dev.rlm.runner.demo.CalcEnvironment;
import dev.rlm.runner.openai.OpenAiOptions;
import dev.rlm.runner.policy.RecordedPolicy;
import dev.rlm.runner.policy.ScriptedPolicy;
import dev.rlm.runner.remote.RemoteOptions;
import dev.rlm.runner.remote.RemotePolicyProvider;
import dev.rlm.runner.replay.ReplayOptions;
import dev.rlm.runner.replay.ReplayPolicyProvider;
import dev.rlm.runner.reward.RewardOptions;
import dev.rlm.runner.sandbox.ExecutionOptions;
import dev.rlm.sinks.RunSpec.PassOn;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that say which episodes are run. Those that are {@code null} where not given depend on others. */
public final class EpisodeOptions {
    private static final int MANY = 100_000;
    private static final int MAX_RUNS = 1_000_000;

    @Option(
            names = {"--env", "--environment"},
            paramLabel = "NAME",
            description = "The environment: calc (default; a calculator, and a number as the answer), python (code in"
                    + " a sandbox), task-folder (a shell in a sandbox, and tasks in folders), openenv (behind a server"
                    + " of OpenEnv), or a plug-in's.")
    String environment = CalcEnvironment.NAME;

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            description = "Who acts: scripted (follows a problem's true solution and makes mistakes), recorded (gives"
                    + " the solutions that models gave), openai (asks a model), exec (a program), remote, replay, or a"
                    + " plug-in's (scripted).")
    private @Nullable String policy;

    @Option(
            names = "--dataset",
            paramLabel = "FILE",
            description = "Samples in GSM8K's format, or a folder of tasks; generated otherwise.")
    @Nullable
    Path dataset;

    @Option(
            names = "--skip-bad-lines",
            description = "Pass over lines of the data set that cannot be used, and count them.")
    boolean skipBadLines;

    @Option(names = "--samples", paramLabel = "N", description = "How many samples to generate (20).")
    @Nullable
    Integer samples;

    @Option(names = "--limit", paramLabel = "N", description = "Take the first N samples only.")
    @Nullable
    Integer limit;

    @Option(names = "--sample-id", paramLabel = "ID", description = "Take these samples only. May be repeated.")
    List<String> sampleIds = new ArrayList<>();

    @Option(
            names = "--model",
            paramLabel = "NAME",
            description =
                    "With openai ask these models, with recorded take the solutions of these only. May be repeated.")
    List<String> models = new ArrayList<>();

    @Option(names = "--rollouts", paramLabel = "N", description = "Run each sample N times (4 if generated, else 1).")
    @Nullable
    Integer rollouts;

    @Option(
            names = "--max-steps",
            paramLabel = "N",
            description = "Cut a run off after N steps (20); it counts as completed.")
    private @Nullable Integer maxSteps;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Of all random choices (1): the same seed gives the same outcomes, whatever the concurrency.")
    @Nullable
    Long seed;

    @Option(
            names = "--error-rate",
            paramLabel = "P",
            description = "How likely each step of the scripted policy is a mistake (0.1).")
    @Nullable
    Double errorRate;

    @Option(
            names = "--latency",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long the policy thinks in each step, such as 200ms or 4s: to watch runs live.")
    Duration latency = Duration.ZERO;

    @Option(
            names = "--shaping",
            negatable = true,
            description = "Give -0.1 for a failed tool call (on; off for recorded).")
    @Nullable
    Boolean shaping;

    @Mixin
    RewardOptions rewards = new RewardOptions();

    @Option(names = "--pass-reward", paramLabel = "R", description = "From which reward on a run is solved (1.0).")
    double passReward = 1.0;

    @Option(names = "--pass-on", paramLabel = "WHICH", description = "Which reward that is: last (default) or total.")
    PassOn passOn = PassOn.LAST;

    @Option(names = "--tag", paramLabel = "KEY=VALUE", description = "A name to find the runs by. May be repeated.")
    Map<String, String> tags = new LinkedHashMap<>();

    @Option(
            names = "--set",
            paramLabel = "NAME.KEY=VALUE",
            description = "A setting of a plug-in, by the plug-in's name. May be repeated.")
    Map<String, String> settings = new LinkedHashMap<>();

    @Mixin
    ExecutionOptions execution = new ExecutionOptions();

    @Mixin
    OpenAiOptions openAi = new OpenAiOptions();

    @Mixin
    RemoteOptions remote = new RemoteOptions();

    @Mixin
    ReplayOptions replay = new ReplayOptions();

    @Mixin
    TrainingOptions training = new TrainingOptions();

    @Mixin
    McpOptions mcp = new McpOptions();

    /** Checks all that can be checked without a look at the samples. */
    void check() {
        training.check();
        Bounds.checkRange("--samples", samples(), 1, MANY);
        Bounds.checkRange("--limit", limit == null ? 1 : limit, 1, Integer.MAX_VALUE);
        Bounds.checkRange("--rollouts", rollouts(), 1, MANY);
        Bounds.checkRange("--samples times --rollouts", (long) samples() * rollouts(), 1, MAX_RUNS);
        Bounds.checkRange("--max-steps", maxSteps(), 1, MANY);
        if (!(errorRate() >= 0 && errorRate() <= 1)) {
            throw new UsageException("--error-rate=" + errorRate + " is not valid: expected a number from 0 to 1");
        }
        if (!Double.isFinite(passReward)) {
            throw new UsageException("--pass-reward=" + passReward + " is not valid: expected a finite number");
        }
        if (dataset != null && dataset.toString().isBlank()) {
            throw new UsageException("--dataset is empty: expected a file");
        }
        if (tags.containsKey("")) {
            throw new UsageException("--tag=" + tags.get("") + " has no name: expected KEY=VALUE");
        }
        if (dataset != null && samples != null) {
            throw new UsageException("--samples is for generated samples: with --dataset use --limit");
        }
        if (dataset == null && isRecorded()) {
            throw new UsageException("--policy recorded needs a --dataset with the solutions of models");
        }
        if (isReplay() && !replay.isGiven()) {
            throw new UsageException(
                    "--policy replay needs a --replay RUN, --replay alone for all runs of the journal, or --replay-where");
        }
        if (isReplay() && rollouts != null && rollouts != 1) {
            throw new UsageException("--rollouts is not for --policy replay: each run is replayed once");
        }
        if (errorRate != null && !policy().equals(ScriptedPolicy.NAME)) {
            throw new UsageException("--error-rate is for --policy scripted");
        }
    }

    String policy() {
        if (policy != null) {
            return policy;
        }
        return remote.isGiven()
                ? RemotePolicyProvider.NAME
                : replay.isGiven() ? ReplayPolicyProvider.NAME : ScriptedPolicy.NAME;
    }

    boolean isReplay() {
        return policy().equals(ReplayPolicyProvider.NAME);
    }

    boolean isRecorded() {
        return policy().equals(RecordedPolicy.NAME);
    }

    int samples() {
        return samples == null ? 20 : samples;
    }

    int rollouts() {
        return rollouts != null ? rollouts : dataset == null && !isReplay() ? 4 : 1;
    }

    int maxSteps() {
        return maxSteps == null ? 20 : maxSteps;
    }

    boolean limitsSteps() {
        return maxSteps != null;
    }

    long seed() {
        return seed == null ? 1 : seed;
    }

    double errorRate() {
        return errorRate == null ? 0.1 : errorRate;
    }

    boolean shaping() {
        return shaping == null ? !isRecorded() : shaping;
    }

    /** Has models' replies asked for as a whole. */
    public void withoutStreams() {
        openAi.withoutStreams();
    }
}
