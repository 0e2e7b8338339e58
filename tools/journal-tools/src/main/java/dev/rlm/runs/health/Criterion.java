package dev.rlm.runs.health;

import java.util.List;

/**
 * A figure of a training beside what it is in a healthy one. It is no fault where it is not so: what is healthy depends on the
 * method.
 *
 * @param value NaN where it was not reported or recorded
 * @param low the lowest healthy value
 * @param high the highest healthy value; infinity for any
 */
public record Criterion(String name, double value, double low, double high) {
    private static final double ANY = Double.POSITIVE_INFINITY;

    public Criterion {
        value = Double.isFinite(value) ? value : Double.NaN;
    }

    /** Returns all of a training, each as it is at its end. */
    public static List<Criterion> of(Training training) {
        Points entropy = training.entropy();
        Points reward = training.reward();
        Points validation = training.validation();
        Points time = training.stepTime();
        return List.of(
                new Criterion("kl", training.kl().tail(), 0.01, 0.05),
                new Criterion("clipped_share", training.clipped().tail(), 0, 0.01),
                new Criterion("truncated_share", training.cut().tailMean(), 0, 0.01),
                new Criterion("entropy_left", entropy.tail() / entropy.head(), 0.1, ANY),
                new Criterion("reward_gain", reward.tail() - reward.head(), 0, ANY),
                new Criterion("validation_gain", validation.tail() - validation.head(), 0, ANY),
                new Criterion("groups_without_signal", training.flat().tailMean(), 0, 0.5),
                new Criterion("step_time_ratio", time.tail() / time.head(), 0, 1.2));
    }

    /** Returns whether the figure is known. */
    public boolean isKnown() {
        return !Double.isNaN(value);
    }

    /** Returns whether the figure is as it is in a healthy training. */
    public boolean isMet() {
        return value >= low && value <= high;
    }
}
