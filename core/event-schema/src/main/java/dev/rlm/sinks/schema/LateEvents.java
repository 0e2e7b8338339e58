package dev.rlm.sinks.schema;

import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunInfo;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Numbers of events that come to runs which have ended, whichever thread or process tells them: none needs to know the run's other
 * events. A reward's follows from who gave which reward to what, so that one which is told again, as a client does that got no answer, is
 * the same event. Any other event's follows from its time. All numbers that a run's own process gives are smaller.
 */
public final class LateEvents {
    private static final long FIRST = 1L << 49;
    private static final long NUMBERS = 1L << 48;
    private static final long FIRST_OTHER = FIRST + NUMBERS; // of as many
    private static final int TURN_BITS = 14; // tell events of one millisecond apart
    private static final long LAST_MILLI = NUMBERS / (1 << TURN_BITS) - 1; // half a year after the run's start
    private static final AtomicInteger TURN = new AtomicInteger(new SecureRandom().nextInt()); // processes differ
    private static final long BASIS = 0xcbf29ce484222325L; // of FNV-1a, as the next
    private static final long PRIME = 0x100000001b3L;

    private LateEvents() {}

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

    /** Returns a number for an event that is no reward and comes now: another one each time, later ones higher but for those of a millisecond. */
    public static long next(RunInfo run) {
        long milli = run.nanosTo(Instant.now()) / 1_000_000;
        int turn = TURN.getAndIncrement() & ((1 << TURN_BITS) - 1);
        return FIRST_OTHER + (Math.max(0, Math.min(milli, LAST_MILLI)) << TURN_BITS) + turn;
    }

    /** Returns whether a number is one of these. */
    public static boolean isLate(long seq) {
        return seq >= FIRST;
    }
}
