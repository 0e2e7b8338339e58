package dev.rlm.recorder;

import java.util.Collection;
import java.util.Locale;

/** Suggestion of a known word for one that is misspelt. */
final class Spelling {
    private Spelling() {}

    /** Returns a question after the known word that is nearest; empty where more than a third of the letters differ. */
    static String suggestion(String word, Collection<String> known) {
        String nearest = "";
        int least = Math.max(1, word.length() / 3) + 1;
        for (String each : known) {
            if (Math.abs(each.length() - word.length()) < least) {
                int distance = distance(word.toLowerCase(Locale.ROOT), each);
                nearest = distance < least ? each : nearest;
                least = Math.min(least, distance);
            }
        }
        return nearest.isEmpty() ? "" : " (did you mean " + nearest + "?)";
    }

    /** Returns how many letters must be put in, taken out, replaced or swapped with the next to make one of the other. */
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
