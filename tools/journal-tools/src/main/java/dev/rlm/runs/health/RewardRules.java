package dev.rlm.runs.health;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;

/** Rules about rewards: what they come to in training and in validation, and what they are made of. */
final class RewardRules {
    private static final double TREND = 3; // standard errors; one training in 700 shows as much by chance
    private static final int FEW_VALIDATIONS = 5; // they are rare; fewer have no course
    static final double FOLLOWS = 0.5; // of the gain in training: validation that gains less does not follow
    private static final double SURE = 1.7; // noises: two medians of three are closer to the truth in 95 of 100 cases
    private static final double LONGER = 1.5; // times the length at the start; what a task needs grows less
    private static final double ALONE = 0.8; // of all that parts gain
    static final double DROP = 0.2; // of the best validation
    private static final double HALF = 0.5; // of the best validation: no end of a training that is well
    private static final double NOISES = 4; // standard deviations: the best of several is high by chance
    static final double MOST_FLAT = 0.6; // of the groups: most of the work is for nothing
    private static final double ALL_FLAT = 0.9;
    private static final double MORE = 0.2; // of the groups
    static final double ALL_BEST = 0.95; // of the runs
    static final double DOMINANT = 0.8; // of the sizes of all parts

    private RewardRules() {}

    static Finding rewardHacking(Training training, double least) {
        Points reward = training.reward();
        Points validation = training.validation();
        Points length = training.length();
        SortedMap<String, Points> parts = training.parts();
        if (reward.size() < Training.FEW || validation.size() < FEW_VALIDATIONS) {
            return Finding.unknown("rewards in training and " + FEW_VALIDATIONS + " times in validation");
        } else if (length.size() < Training.FEW && parts.size() < 2) {
            return Finding.unknown("response_length, or parts of rewards");
        }
        double gain = reward.tail() - reward.head();
        double follows = validation.tail() - validation.head();
        boolean hacks = reward.trend() > TREND
                && gain > 2 * reward.noise()
                && follows + SURE * training.noise(validation) < least * gain
                && validation.trend() < TREND / 2;
        boolean longer =
                length.size() >= Training.FEW && length.trend() > TREND && length.tail() > LONGER * length.head();
        String alone = alone(parts);
        return Finding.of(hacks && (longer || !alone.isEmpty()), training.runs(reward.tailStep()))
                .withMedians("reward", reward)
                .withMedians("validation", validation)
                .withMedians("length", length)
                .with("part", alone);
    }

    /** Returns the part that gains nearly all; empty where none does. */
    private static String alone(SortedMap<String, Points> parts) {
        double all = parts.values().stream()
                .mapToDouble(part -> Math.max(0, part.tail() - part.head()))
                .sum();
        return parts.entrySet().stream()
                .filter(part -> parts.size() > 1 && part.getValue().size() >= Training.FEW)
                .filter(part -> part.getValue().trend() > TREND)
                .filter(part -> part.getValue().tail() - part.getValue().head() > ALONE * all)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("");
    }

    static Finding validationCollapse(Training training, double most) {
        return training.validations().entrySet().stream()
                .filter(each -> each.getValue().size() >= FEW_VALIDATIONS)
                .map(each -> collapse(training, most, each.getKey(), each.getValue()))
                .min(Comparator.comparing((Finding finding) -> !finding.isFound())
                        .thenComparing(Finding::isKnown))
                .orElse(Finding.unknown(FEW_VALIDATIONS + " times a reward in validation"));
    }

    /** Tells whether a reward in validation has fallen; one that fell far, but by chance maybe, is not said to have not. */
    private static Finding collapse(Training training, double most, String name, Points validation) {
        Points reward = training.reward();
        Points smooth = validation.smooth();
        int peak = smooth.peak();
        double best = smooth.value(peak);
        double drop = best - validation.tail();
        double last = validation.value(validation.size() - 1);
        double noise = training.noise(validation);
        String number = name.isEmpty() ? "reward of runs" : name;
        boolean falls = peak < smooth.size() - 2 && drop > most * Math.abs(best) && drop > NOISES * noise;
        if (!falls && Math.max(drop, best - last) > Math.max(HALF * Math.abs(best), noise)) {
            return Finding.unknown("more validations, or runs in each: " + number + " fell from " + text(best) + " to "
                    + text(last) + ", maybe by chance");
        }
        List<String> runs = training.runs(Fact.VALIDATION_REWARD, "", smooth.step(peak));
        return Finding.of(falls, runs.isEmpty() ? training.runs(smooth.step(peak)) : runs)
                .with("number", number)
                .with("best", best)
                .with("best_step", smooth.step(peak))
                .with("last", validation.tail())
                .withMedians("reward", reward.between(smooth.step(peak), Double.POSITIVE_INFINITY));
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, "%.3g", value);
    }

    static Finding groupsWithoutSignal(Training training, double most) {
        Points flat = training.flat();
        if (flat.size() < Training.FEW) {
            return Finding.unknown(Training.FEW + " steps with several runs of a sample, or frac_reward_zero_std");
        }
        double first = flat.headMean();
        double last = flat.tailMean();
        boolean grows = last >= most && last >= first + MORE && flat.trend() > TREND - 1; // few values, many ties
        return Finding.of(grows || last >= Math.max(ALL_FLAT, most), training.runs(Fact.FLAT, "", flat.tailStep()))
                .withMeans("share", flat)
                .since(flat.since((first + last) / 2));
    }

    static Finding ceiling(Training training, double most) {
        Points best = training.atBest();
        if (best.size() < Training.FEW) {
            return Finding.unknown(Training.FEW + " steps with rewards of runs");
        }
        return Finding.of(best.tailMean() >= most && training.range(Fact.REWARD) > 0, training.runs(best.tailStep()))
                .withMeans("share", best);
    }

    static Finding dominantPart(Training training, double most) {
        SortedMap<String, Points> parts = training.parts();
        if (parts.values().stream().filter(part -> part.size() >= Training.FEW).count() < 2) {
            return Finding.unknown("two parts of rewards (components, or rewards/*/mean)");
        }
        double before = size(parts, true);
        double now = size(parts, false);
        Map.Entry<String, Points> part = Collections.max(
                parts.entrySet(),
                Comparator.comparingDouble(each -> Math.abs(each.getValue().tailMean())));
        double first = Math.abs(part.getValue().headMean());
        double last = Math.abs(part.getValue().tailMean());
        boolean dominates = last >= most * now && last / now >= first / before + MORE / 2;
        boolean displaces = now - last < (1 - MORE) * (before - first);
        return Finding.of(
                        dominates && displaces,
                        training.runs(Fact.PART, part.getKey(), part.getValue().tailStep()))
                .with("part", part.getKey())
                .with("share_first", first / before)
                .with("share_last", last / now)
                .with("others_first", before - first)
                .with("others_last", now - last);
    }

    private static double size(SortedMap<String, Points> parts, boolean first) {
        return parts.values().stream()
                .mapToDouble(part -> Math.abs(first ? part.headMean() : part.tailMean()))
                .sum();
    }
}
