package dev.rlm.runs.health;

import java.util.List;

/** Rules about the updates of the policy: what its trainer reports of them. */
final class UpdateRules {
    private static final int LONG = 20; // steps: fewer are no plateau, and no swing
    private static final double TREND = 3; // standard errors; one training in 700 shows as much by chance
    private static final double NO_KL = 1e-3; // a tenth of what a healthy update moves the policy
    private static final double NO_GRADIENT = 1e-2; // gradients of language models have norms of 0.1 to 2
    static final double STILL = 0.05; // of a reward, or twice its noise: less is no change
    static final double SWING = 0.25; // of a reward, up and down, beside what chance among runs makes
    private static final double SPIKE = 5; // times the usual gradient
    private static final int SPIKES = 3; // one may be a strange batch
    private static final double MUCH_CLIPPED = 0.05; // five times what is healthy
    static final double MUCH_KL = 0.1; // twice what is healthy
    private static final double LASTING = 0.8; // of the last steps
    static final double LOST = 0.1; // of the entropy at the start: what is left is next to none
    private static final double FALLS = 0.8; // of the entropy at the start
    private static final double NO_ENTROPY = 0.02; // nats a token: two answers in a hundred differ
    private static final int FAST = 100; // reports; an entropy that falls over thousands is what training does
    private static final double ALIKE = 0.5; // of the replies of a group

    private UpdateRules() {}

    static Finding noConvergence(Training training, double least) {
        Points reward = training.reward();
        Points kl = training.kl();
        Points gradient = training.gradient();
        if (reward.size() < LONG) {
            return Finding.unknown(LONG + " steps with a reward");
        } else if (kl.size() == 0 && gradient.size() == 0) {
            return Finding.unknown("ppo_kl or grad_norm");
        }
        double change = reward.tail() - reward.head();
        double still = Math.max(2 * reward.noise(), least * Math.max(Math.abs(reward.head()), Math.abs(reward.tail())));
        boolean plateau = Math.abs(change) <= still && Math.abs(reward.trend()) < TREND;
        boolean stands = (kl.size() == 0 || Math.abs(kl.tail()) < NO_KL)
                && (gradient.size() == 0 || gradient.tail() < NO_GRADIENT);
        boolean done = RewardRules.ceiling(training, RewardRules.ALL_BEST).isFound();
        return Finding.of(plateau && stands && !done, training.runs(reward.tailStep()))
                .withMedians("reward", reward)
                .with("kl", kl.tail())
                .with("gradient_norm", gradient.tail());
    }

    static Finding oscillation(Training training, double most) {
        Points reward = training.reward();
        Points gradient = training.gradient();
        Points clipped = training.clipped();
        if (reward.size() < LONG) {
            return Finding.unknown(LONG + " steps with a reward");
        } else if (gradient.size() == 0 && clipped.size() == 0) {
            return Finding.unknown("grad_norm or pg_clipfrac");
        }
        double chance = training.error(Fact.REWARD);
        double swing = Math.sqrt(Math.max(0, Math.pow(reward.swing(), 2) - chance * chance));
        double usual = Math.max(Math.abs(reward.median()), SWING * training.range(Fact.REWARD));
        double middle = gradient.median();
        long spikes = gradient.count(norm -> norm > SPIKE * middle);
        double share = clipped.median(clipped.size() / 2, clipped.size());
        boolean swings = swing > most * usual;
        return Finding.of(
                        swings && (spikes >= SPIKES || share > MUCH_CLIPPED),
                        training.runs(reward.step(reward.size() / 2)))
                .with("reward_swing", swing)
                .with("reward_median", reward.median())
                .with("gradient_spikes", spikes)
                .with("clipped", share);
    }

    static Finding klExplosion(Training training, double much) {
        Points kl = training.kl();
        Points clipped = training.clipped();
        if (kl.size() == 0) {
            return Finding.unknown("ppo_kl");
        }
        boolean high = kl.shareOfLast(Math.max(5, kl.size() / 5), value -> value > much) >= LASTING;
        Points rising = clipped.size() == 0 ? kl : clipped;
        boolean rises = rising.tail() > 2 * rising.head() && rising.trend() > TREND;
        return Finding.of(high && rises, training.runs(kl.since(much)))
                .withMedians("kl", kl)
                .withMedians("clipped", clipped)
                .since(kl.since(much));
    }

    static Finding entropyCollapse(Training training, double least) {
        Points entropy = training.entropy();
        Points alike = training.recorded(Fact.ALIKE);
        boolean repeats = alike.size() >= Training.FEW
                && alike.tailMean() >= ALIKE
                && alike.tailMean() >= alike.headMean() + ALIKE / 2;
        if (entropy.size() == 0) {
            return alike.size() < Training.FEW
                    ? Finding.unknown("entropy, or replies of several runs of a sample")
                    : Finding.of(repeats, alike(training, alike.tailStep())).withMeans("alike", alike);
        }
        double start = entropy.head();
        double none = Math.max(NO_ENTROPY, least * start);
        int falls = Math.max(0, entropy.first(0, value -> value < FALLS * start));
        int gone = Math.max(0, entropy.first(falls, value -> value < none));
        boolean lost = entropy.tail() < none && entropy.tail() < start / 2;
        return Finding.of(lost && (gone - falls <= FAST || repeats), alike(training, entropy.step(gone)))
                .withMedians("entropy", entropy)
                .withMeans("alike", alike)
                .since(entropy.step(gone));
    }

    /** Returns runs whose replies are those of others; any where the record does not tell. */
    private static List<String> alike(Training training, double from) {
        List<String> alike = training.runs(Fact.ALIKE, "", from);
        return alike.isEmpty() ? training.runs(from) : alike;
    }
}
