package dev.rlm.sinks.schema.statistics;

import java.io.Serializable;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Lengths of time, and the percentiles of them. Eight bytes each. */
public final class Lengths implements Serializable {
    private static final long serialVersionUID = 1;
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

    /** Adds the lengths of another. */
    public void merge(Lengths other) {
        if (size + other.size > nanos.length) {
            nanos = Arrays.copyOf(nanos, Math.max(size + other.size, size * 2));
        }
        System.arraycopy(other.nanos, 0, nanos, size, other.size);
        size += other.size;
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
