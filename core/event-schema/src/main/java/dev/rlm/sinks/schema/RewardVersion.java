package dev.rlm.sinks.schema;

import dev.rlm.sinks.event.RewardGiven;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Name and version of a reward that was computed, or given by a person, for a recorded run. It comes after the run's end with the
 * source {@code score:NAME@VERSION}, and is a second opinion: it is in no total, and decides nothing of its run, unless it was asked to.
 *
 * @param name letters, digits, and {@code -}, {@code _} and {@code .} between them
 * @param version of the same characters
 */
public record RewardVersion(String name, String version) {
    /** Beginning of the names of findings in transcripts, which say nothing of how good a run is. */
    public static final String FINDING = "scan.";

    private static final String PREFIX = "score:";
    private static final String WORD = "[A-Za-z0-9](?:[\\w.-]{0,62}[A-Za-z0-9])?";
    private static final Pattern PART = Pattern.compile(WORD);
    private static final Pattern SOURCE = Pattern.compile(PREFIX + "(" + WORD + ")@(" + WORD + ")");

    /**
     * Checks both.
     *
     * @throws IllegalArgumentException if one is not valid; the message says which, and what is expected
     */
    public RewardVersion {
        check("name", name);
        check("version", version);
    }

    private static void check(String what, String text) {
        if (!PART.matcher(text).matches()) {
            throw new IllegalArgumentException("the " + what + " '" + text
                    + "' is not valid: expected up to 64 letters, digits, and -, _ and . between them");
        }
    }

    /** Returns those that the source of a reward tells; {@code null} where it is a reward of another kind. */
    public static @Nullable RewardVersion of(String source) {
        if (!source.startsWith(PREFIX)) {
            return null;
        }
        Matcher parts = SOURCE.matcher(source);
        return parts.matches() ? new RewardVersion(parts.group(1), parts.group(2)) : null;
    }

    /** Returns whether a reward is a second opinion, which is in no total. */
    public static boolean isOpinion(RewardGiven reward) {
        return isOpinion(reward.source(), reward.solved() != null);
    }

    /**
     * Returns the same of a reward with that source.
     *
     * @param decides whether it says if its run is solved
     */
    public static boolean isOpinion(String source, boolean decides) {
        return !decides && of(source) != null;
    }

    /** Returns the source of such a reward. */
    public String source() {
        return PREFIX + this;
    }

    /** Returns them as people read them: {@code NAME@VERSION}. */
    @Override
    public String toString() {
        return name + "@" + version;
    }
}
