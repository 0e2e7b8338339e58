package dev.rlm.runs.health;

import dev.rlm.sinks.schema.UsualMetric;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** Rules about what a training brings forth, and how fast. */
final class OutputRules {
    private static final int SIDE = 5; // steps before and after a jump: fewer are a pause of the machine
    static final double SLOWER = 1.5; // times
    private static final double NOISES = 5; // standard deviations: times of steps have far outliers
    static final double GARBLED = 0.05; // of the runs; of a healthy model one in thousands
    private static final double REPEATED = 0.1; // of the responses
    private static final int SEVERAL = 3; // runs
    static final double CUT = 0.1; // of the runs; near 0 is healthy

    private OutputRules() {}

    static Finding slowTraining(Training training, double most) {
        Points time = training.stepTime();
        if (time.size() < 2 * SIDE) {
            return Finding.unknown(2 * SIDE + " steps with timing/s/step, or with durations of runs");
        }
        int jump = time.jump(SIDE);
        if (jump < 0) {
            return Finding.of(false, List.of());
        }
        double at = time.step(jump);
        double before = before(time, at);
        double after = after(time, at);
        boolean slower = after > most * before && after - before > NOISES * time.noise();
        Map.Entry<String, Double> where = slower ? where(training, at) : Map.entry("", Double.NaN);
        return Finding.of(slower, training.runs(Fact.SECONDS, "", at))
                .with("seconds_before", before)
                .with("seconds_after", after)
                .since(at)
                .with("where", where.getKey())
                .with("seconds_more", where.getValue());
    }

    private static double before(Points time, double step) {
        Points before = time.between(Double.NEGATIVE_INFINITY, step);
        return before.median(Math.max(0, before.size() - 4 * SIDE), before.size());
    }

    private static double after(Points time, double step) {
        Points after = time.between(step, Double.POSITIVE_INFINITY);
        return after.median(0, Math.min(after.size(), 4 * SIDE));
    }

    /** Returns the part of a step that takes the most time more than before, and how much. */
    private static Map.Entry<String, Double> where(Training training, double step) {
        SortedMap<String, Points> reported = training.all(UsualMetric.STEP_PART_TIME);
        SortedMap<String, Points> parts = reported.isEmpty() ? training.all(Fact.CALL_SECONDS) : reported;
        Map<String, Double> more = new HashMap<>();
        parts.forEach((name, part) -> more.put(name, after(part, step) - before(part, step)));
        more.values().removeIf(seconds -> !(seconds > 0));
        return more.entrySet().stream().max(Map.Entry.comparingByValue()).orElse(Map.entry("", Double.NaN));
    }

    static Finding garbledOutput(Training training, double most) {
        Points garbled = training.recorded(Fact.GARBLED);
        Points repeated = training.reported(UsualMetric.REPETITION);
        if (garbled.size() < SIDE && repeated.size() == 0) {
            return Finding.unknown("replies of model calls with their text");
        }
        boolean many = garbled.size() >= SIDE
                && garbled.tailMean() >= most
                && training.runs(Fact.GARBLED, "", garbled.tailStep()).size() >= SEVERAL;
        boolean repeats = repeated.size() > 0
                && repeated.tailMean() >= REPEATED
                && repeated.tailMean() >= repeated.headMean() + REPEATED / 2;
        return Finding.of(
                        many || repeats,
                        many ? training.runs(Fact.GARBLED, "", garbled.tailStep()) : training.runs(repeated.tailStep()))
                .withMeans("garbled", garbled)
                .with("repetition_last", repeated.tailMean());
    }

    static Finding truncation(Training training, double most) {
        Points cut = training.cut();
        boolean prompts = cut == training.cutPrompts();
        if (cut.size() < SIDE) {
            return Finding.unknown(
                    "response_length/clip_ratio, prompt_length/clip_ratio, or model calls with finish_reason");
        }
        return Finding.of(
                        cut.tailMean() >= most,
                        prompts ? training.runs(cut.tailStep()) : training.runs(Fact.CUT, "", cut.tailStep()))
                .with("of", prompts ? "prompts" : "replies")
                .withMeans("share", cut);
    }
}
