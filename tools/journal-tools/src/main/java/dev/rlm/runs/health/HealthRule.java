package dev.rlm.runs.health;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** A rule of what can be wrong with a training, with what to do about it. */
public enum HealthRule {
    /** The reward stays where it is, and so does the policy. */
    NO_CONVERGENCE(
            UpdateRules::noConvergence,
            UpdateRules.STILL,
            "raise the learning rate; look whether rewards of a group differ at all, and whether there is enough data"),
    /** The reward swings while updates are too large. */
    OSCILLATION(
            UpdateRules::oscillation,
            UpdateRules.SWING,
            "lower the learning rate, enlarge the batch, normalise advantages, clip gradients"),
    /** The policy runs away from the one before. */
    KL_EXPLOSION(
            UpdateRules::klExplosion,
            UpdateRules.MUCH_KL,
            "go back to the last good checkpoint; more weight on the KL loss, a lower learning rate, smaller mini-batches"),
    /** The policy says the same thing always. */
    ENTROPY_COLLAPSE(
            UpdateRules::entropyCollapse,
            UpdateRules.LOST,
            "look whether the reward pays for one pattern; more weight on entropy or KL, a higher temperature"),
    /** The reward is gained by something that was not meant. */
    REWARD_HACKING(
            RewardRules::rewardHacking,
            RewardRules.FOLLOWS,
            "read the runs with the highest rewards; close the loophole in the reward, limit the length, stop early"),
    /** Learned behaviour no longer holds for tasks that were not seen. */
    VALIDATION_COLLAPSE(
            RewardRules::validationCollapse,
            RewardRules.DROP,
            "take the checkpoint of the best validation; more weight on KL, more varied tasks"),
    /** Steps take much longer than they did. */
    SLOW_TRAINING(
            OutputRules::slowTraining,
            OutputRules.SLOWER,
            "look into the slower part (rlm report --phases --by train-step); longer replies, slow tools, queues of rollouts"),
    /** Replies are no language. */
    GARBLED_OUTPUT(
            OutputRules::garbledOutput,
            OutputRules.GARBLED,
            "read the runs; compare KL and learning rate, the chat template, and the weights that the server has loaded"),
    /** Replies end because they reached their limit. */
    TRUNCATION(
            OutputRules::truncation,
            OutputRules.CUT,
            "raise the limit of tokens, shorten prompts; look whether the reward pays for length"),
    /** There is less and less to learn from the groups. */
    GROUPS_WITHOUT_SIGNAL(
            RewardRules::groupsWithoutSignal,
            RewardRules.MOST_FLAT,
            "choose tasks that are neither solved always nor never, larger groups, a finer reward"),
    /** All runs have the best reward. */
    CEILING(RewardRules::ceiling, RewardRules.ALL_BEST, "choose harder tasks; more training on these teaches nothing"),
    /** One part of the reward pushes the others aside. */
    DOMINANT_PART(
            RewardRules::dominantPart,
            RewardRules.DOMINANT,
            "lower that part's weight, or bound it; look at what the others measure"),
    /** Rewards could not be computed. */
    JUDGE_ABSENT(
            RecordRules::judgeAbsent,
            RecordRules.ABSENT,
            "look at the reasons (rlm report: absences) and at the judge's server; absent rewards are in no mean"),
    /** A judge judges the same quality otherwise than before. */
    JUDGE_DRIFT(
            RecordRules::judgeDrift,
            RecordRules.DRIFT,
            "look whether the judge's model or prompt changed; judge some early runs again (rlm rescore)"),
    /** A tool fails since some time. */
    TOOL_FAILING(
            RecordRules::toolFailing,
            RecordRules.FAILS,
            "look at the tool's errors (rlm show), its server, limits and credentials"),
    /** Calls or runs are repeated more often. */
    RETRIES(RecordRules::retries, RecordRules.RETRIED, "look at the limits and the load of model servers and tools"),
    /** The record is not whole. */
    LOST_EVENTS(
            RecordRules::lostEvents,
            0,
            "look at the sinks' statuses and the disk; figures of runs that lack events are at least what is said");

    @SuppressWarnings("ImmutableEnumChecker") // a function without a state
    private final Check check;

    private final double bound;
    private final String advice;

    HealthRule(Check check, double bound, String advice) {
        this.check = check;
        this.bound = bound;
        this.advice = advice;
    }

    /** Returns the rule of that name, in which {@code -} stands for {@code _} and capitals for small letters too. */
    public static Optional<HealthRule> named(String name) {
        String word = name.replace('-', '_');
        return Stream.of(values())
                .filter(rule -> rule.name().equalsIgnoreCase(word))
                .findFirst();
    }

    /** Returns its name as programs and users write it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns what to do where it is found. */
    public String advice() {
        return advice;
    }

    /** Returns the bound of the figure that it decides by, unless another one is set; {@code docs/report.md} tells of which. */
    public double bound() {
        return bound;
    }

    /** Says what comes of it with that bound. */
    public Finding of(Training training, double bound) {
        return check.of(training, bound);
    }

    @FunctionalInterface
    private interface Check {
        Finding of(Training training, double bound);
    }
}
