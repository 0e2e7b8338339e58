package dev.rlm.sinks.schema.statistics;

import java.util.ArrayList;
import java.util.List;

/** Unbiased estimates from n attempts of which c were solved: each k of them are as likely as any other k. */
public final class PassEstimate {
    private static final int MOST_ATTEMPTS = 1_024;

    private PassEstimate() {}

    /**
     * Returns the default values of k for pass@k: 1, 2, 4 … as far as the largest group goes, and no further than
     * 1,024.
     */
    public static List<Integer> ks(long largestGroup) {
        List<Integer> ks = new ArrayList<>();
        long most = Math.min(MOST_ATTEMPTS, largestGroup);
        for (int k = 1; k == 1 || k <= most; k *= 2) {
            ks.add(k);
        }
        return List.copyOf(ks);
    }

    /**
     * pass@k: how likely at least one of k attempts is solved, {@code 1 - C(n-c, k) / C(n, k)}.
     *
     * @throws IllegalArgumentException if there are fewer than k attempts, or c is not one of 0 to n
     */
    public static double anyOf(int k, long n, long c) {
        check(k, n, c);
        if (n - c < k) {
            return 1;
        }
        double none = 1;
        for (long i = n - c + 1; i <= n; i++) {
            none *= 1 - (double) k / i;
        }
        return 1 - none;
    }

    /**
     * pass^k: how likely all of k attempts are solved, {@code C(c, k) / C(n, k)}.
     *
     * @throws IllegalArgumentException if there are fewer than k attempts, or c is not one of 0 to n
     */
    public static double allOf(int k, long n, long c) {
        check(k, n, c);
        double all = 1;
        for (int i = 0; i < k && all > 0; i++) {
            all *= (double) (c - i) / (n - i);
        }
        return all;
    }

    private static void check(int k, long n, long c) {
        if (k < 1 || k > n || c < 0 || c > n) {
            throw new IllegalArgumentException("no estimate for k=" + k + ", n=" + n + ", c=" + c);
        }
    }
}
