package dev.rlm.runs.scan;

import java.util.Locale;

/**
 * Findings of a rule in labelled runs.
 *
 * @param found how many there are
 * @param right how many of them are right
 */
record Precision(int found, int right) {
    private static final double Z = 1.959964; // of 95 %

    static final Precision NONE = new Precision(0, 0);

    Precision with(boolean isRight) {
        return new Precision(found + 1, right + (isRight ? 1 : 0));
    }

    Precision and(Precision other) {
        return new Precision(found + other.found, right + other.right);
    }

    /** The lower bound of the share that is right, by Wilson's interval. */
    double low() {
        return found == 0 ? 0 : Math.max(0, centre() - half());
    }

    double high() {
        return found == 0 ? 1 : Math.min(1, centre() + half());
    }

    private double centre() {
        double share = (double) right / found;
        return (share + Z * Z / (2 * found)) / (1 + Z * Z / found);
    }

    private double half() {
        double share = (double) right / found;
        return Z * Math.sqrt(share * (1 - share) / found + Z * Z / (4.0 * found * found)) / (1 + Z * Z / found);
    }

    String counts() {
        return right + " of " + found;
    }

    /** The share that is right, with its interval. */
    String text() {
        return found == 0
                ? "-"
                : String.format(Locale.ROOT, "%.3f (%.3f to %.3f)", (double) right / found, low(), high());
    }
}
