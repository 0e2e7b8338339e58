package dev.rlm.sinks.schema;

import dev.rlm.sinks.event.RewardGiven;

/**
 * Numbers of rewards that a process gives to runs of others which have ended. A number follows from who gave which reward to what: so it
 * needs no knowledge of the run's other events, and a reward that is told again, as a client does that got no answer, is the same event.
 * All numbers that a run's own process gives are smaller.
 */
public final class LateRewards {
    private static final long FIRST = 1L << 49;
    private static final long NUMBERS = 1L << 48;
    private static final long BASIS = 0xcbf29ce484222325L; // of FNV-1a, as the next
    private static final long PRIME = 0x100000001b3L;

    private LateRewards() {}

    /**
     * Returns the number of such a reward.
     *
     * @param step as in {@link RewardGiven#step}
     * @param value NaN where it is absent
     */
    public static long seq(int step, String source, double value) {
        long hash = BASIS;
        for (int i = 0; i < source.length(); i++) {
            hash = (hash ^ source.charAt(i)) * PRIME;
        }
        hash = mix(mix(hash + step) ^ Double.doubleToLongBits(value + 0.0)); // there is one zero
        return FIRST + Math.floorMod(hash, NUMBERS);
    }

    /** Returns the number mixed as SplitMix64 (Steele, Lea and Flood, 2014) does it. */
    private static long mix(long number) {
        long z = (number ^ (number >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /** Returns the number that the reward has if it is such a one. */
    public static long seq(RewardGiven reward) {
        return seq(reward.step(), reward.source(), reward.value());
    }

    /** Returns whether a number is one of these. */
    public static boolean isLate(long seq) {
        return seq >= FIRST;
    }
}
