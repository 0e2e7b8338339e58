package dev.rlm.sinks.schema.statistics;

import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Lengths of time, and the percentiles of them. Eight bytes each. */
public final class Lengths {
    private static final int FIRST_SIZE = 8;

    private long[] nanos = new long[FIRST_SIZE];
    private int size;
    private boolean sorted;

    public void add(Duration length) {
        if (size == nanos.length) {
            nanos = Arrays.copyOf(nanos, size * 2);
        }
        nanos[size++] = length.toNanos();
        sorted = false;
    }

    /** By nearest rank: the length that so many in 100 do not exceed, which one of them really had; {@code null} for none. */
    public @Nullable Duration percentile(int percent) {
        if (size == 0) {
            return null;
        }
        if (!sorted) {
            Arrays.sort(nanos, 0, size);
            sorted = true;
        }
        return Duration.ofNanos(nanos[(int) (((long) size * percent + 99) / 100 - 1)]);
    }
}
