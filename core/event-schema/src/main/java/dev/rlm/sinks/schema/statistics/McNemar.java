package dev.rlm.sinks.schema.statistics;

/** McNemar's exact test: whether two sides that answered the same questions differ in how many they solved. */
public final class McNemar {
    private McNemar() {}

    /**
     * The two-sided p value: how likely a fair coin splits those on which the sides differ at least as unevenly.
     *
     * @param onlyFirst number that the first side alone solved
     * @param onlySecond number that the second side alone solved
     */
    public static double pValue(long onlyFirst, long onlySecond) {
        if (onlyFirst < 0 || onlySecond < 0) {
            throw new IllegalArgumentException("counts must not be negative: " + onlyFirst + ", " + onlySecond);
        }
        long n = onlyFirst + onlySecond;
        long fewer = Math.min(onlyFirst, onlySecond);
        double log = -n * Math.log(2); // of the chance of exactly `fewer` heads in n throws
        for (long i = 1; i <= fewer; i++) {
            log += Math.log((double) (n - fewer + i) / i);
        }
        double relative = 1; // each term relative to the largest, going down from it
        double sum = 1;
        for (long i = fewer; i > 0 && relative > 0; i--) {
            relative *= (double) i / (n - i + 1);
            sum += relative;
        }
        return Math.min(1, 2 * sum * Math.exp(log));
    }
}
