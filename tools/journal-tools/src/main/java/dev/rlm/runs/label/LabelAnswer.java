package dev.rlm.runs.label;

import dev.rlm.sinks.Reward;
import dev.rlm.sinks.event.RewardGiven;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Word of a person about a run.
 *
 * @param label in a word; {@code null} for a score
 */
record LabelAnswer(double value, @Nullable String label) {
    /** Answers that are understood, for people. */
    static final String FORMS =
            "y (solved), n (not solved), a score from 0 to 1, m (the whole conversation), s (skip), q (quit)";

    private static final Pattern SCORE = Pattern.compile("0|1|0?\\.\\d{1,6}|[01]\\.0{1,6}");

    /** Reads one; {@code null} where it is none. */
    static @Nullable LabelAnswer of(String text) {
        String word = text.toLowerCase(Locale.ROOT);
        if (word.equals("y") || word.equals("yes")) {
            return new LabelAnswer(1, "solved");
        } else if (word.equals("n") || word.equals("no")) {
            return new LabelAnswer(0, "not solved");
        }
        return SCORE.matcher(word).matches() ? new LabelAnswer(Double.parseDouble(word), null) : null;
    }

    Reward reward() {
        return Reward.of(value)
                .label(label)
                .kind(RewardGiven.Kind.PERSON)
                .min(0.0)
                .max(1.0)
                .build();
    }
}
