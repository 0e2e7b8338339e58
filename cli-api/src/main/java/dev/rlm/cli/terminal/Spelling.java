package dev.rlm.cli.terminal;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds, for a name that is not known, the one that was probably meant. Names are words joined by {@code _}. */
public final class Spelling {
    private static final int MAX_LENGTH = 100;
    private static final int LETTERS_A_MISTAKE = 5;

    private Spelling() {}

    /** The known name that differs in a few letters; else the shortest one that has all of its words. */
    public static Optional<String> nearest(String name, Collection<String> known) {
        if (name.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        int allowed = Math.max(1, name.length() / LETTERS_A_MISTAKE);
        Comparator<String> byDistance = Comparator.comparingInt(one -> distance(name, one));
        Stream<String> similar = known.stream().filter(one -> distance(name, one) <= allowed);
        return similar.min(byDistance.thenComparing(Comparator.naturalOrder()))
                .or(() -> known.stream()
                        .filter(one -> words(one).containsAll(words(name)))
                        .min(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder())));
    }

    /** The words but for this program's own prefix. */
    private static List<String> words(String name) {
        return Arrays.stream(name.split("_"))
                .filter(word -> !word.equals("RLM"))
                .toList();
    }

    /** How many letters must be put in, left out or replaced to make one of the other (Levenshtein). */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
