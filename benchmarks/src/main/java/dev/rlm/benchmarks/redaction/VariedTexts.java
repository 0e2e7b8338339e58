package dev.rlm.benchmarks.redaction;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * The texts of the steps that are measured: 1,008 of eight ordinary kinds, such as English, Python, JSON, logs and Chinese, of 200,
 * 1,000 and 8,000 characters and 502 on average, no two alike and in a random order that is always the same.
 */
public final class VariedTexts {
    private static final int SETS = 2;
    private static final int[] TIMES = {48, 14, 1}; // of each kind in a set: most texts are short
    private static final int[] LENGTHS = {200, 1_000, 8_000};
    private static final List<String> ALL = all();

    private VariedTexts() {}

    /** Returns the code of the step of that number. */
    public static String code(int step) {
        return text(step);
    }

    /** Returns the output of the step of that number. */
    public static String output(int step) {
        return text(step + ALL.size() / 3);
    }

    /** Returns the observation of the step of that number. */
    public static String observation(int step) {
        return text(step + 2 * ALL.size() / 3);
    }

    private static String text(int number) {
        return ALL.get(number % ALL.size());
    }

    private static List<String> all() {
        RandomGenerator random = new SplittableRandom(1);
        Set<String> texts = new LinkedHashSet<>();
        Arrays.stream(Kind.values()).filter(Kind::isOrdinary).forEach(kind -> {
            for (int i = 0; i < LENGTHS.length; i++) {
                int enough = texts.size() + SETS * TIMES[i];
                while (texts.size() < enough) {
                    texts.add(kind.text(random, LENGTHS[i])); // of templates some come twice
                }
            }
        });
        List<String> shuffled = new ArrayList<>(texts);
        Collections.shuffle(shuffled, new Random(1));
        return List.copyOf(shuffled);
    }
}
