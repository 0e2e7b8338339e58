package dev.rlm.cli.terminal;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds, for a name that is not known, the one that was probably meant. */
public final class Spelling {
    private static final int MAX_LENGTH = 100;

    private Spelling() {}

    /** The known name that differs in a few letters; else the shortest one that has all of its words, joined by {@code _}. */
    public static Optional<String> nearest(String name, Collection<String> known) {
        List<String> ordered = known.stream().sorted().toList();
        return name.length() > MAX_LENGTH
                ? Optional.empty()
                : nearest(name, ordered, name.length() / 5)
                        .or(() -> ordered.stream()
                                .filter(one -> words(one).containsAll(words(name)))
                                .min(Comparator.comparingInt(String::length)));
    }

    /** A question after the first of the known words that are nearest; empty where more than a third of the letters differ. */
    public static String suggestion(String word, Collection<String> known) {
        return word.length() > MAX_LENGTH
                ? ""
                : nearest(word.toLowerCase(Locale.ROOT), known, word.length() / 3)
                        .map(nearest -> " (did you mean " + nearest + "?)")
                        .orElse("");
    }

    private static Optional<String> nearest(String name, Collection<String> known, int mistakes) {
        return known.stream()
                .filter(one -> distance(name, one) <= Math.max(1, mistakes))
                .min(Comparator.comparingInt(one -> distance(name, one)));
    }

    /** The words but for this program's own prefix. */
    private static List<String> words(String name) {
        return Arrays.stream(name.split("_"))
                .filter(word -> !word.equals("RLM"))
                .toList();
    }

    /** Counts the letters that must be put in, left out, replaced or swapped with the next to make one of the other. */
    private static int distance(String one, String other) {
        int[][] distances = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                distances[i][j] = i == 0 || j == 0 ? i + j : distance(distances, one, other, i, j);
            }
        }
        return distances[one.length()][other.length()];
    }

    private static int distance(int[][] before, String one, String other, int i, int j) {
        char last = one.charAt(i - 1);
        int replaced = before[i - 1][j - 1] + (last == other.charAt(j - 1) ? 0 : 1);
        int least = Math.min(replaced, Math.min(before[i - 1][j], before[i][j - 1]) + 1);
        boolean swapped = i > 1 && j > 1 && last == other.charAt(j - 2) && one.charAt(i - 2) == other.charAt(j - 1);
        return swapped ? Math.min(least, before[i - 2][j - 2] + 1) : least;
    }
}
