package dev.rlm.journal;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Numbers of a run's events with a value each, sixteen bytes an event. They nearly always come in their order. */
final class BySeq {
    private static final long[] NO_SEQS = {};
    private static final double[] NO_VALUES = {};

    private long[] seqs = NO_SEQS; // ascending
    private double[] values = NO_VALUES;
    private int size;

    int size() {
        return size;
    }

    /** Adds an event, or gives it another value. */
    void put(long seq, double value) {
        int at = size == 0 || seqs[size - 1] < seq ? -size - 1 : Arrays.binarySearch(seqs, 0, size, seq);
        if (at < 0) {
            at = -at - 1;
            makeRoom(at);
            seqs[at] = seq;
        }
        values[at] = value;
    }

    private void makeRoom(int at) {
        if (size == seqs.length) {
            seqs = Arrays.copyOf(seqs, Math.max(8, 2 * size));
            values = Arrays.copyOf(values, seqs.length);
        }
        System.arraycopy(seqs, at, seqs, at + 1, size - at);
        System.arraycopy(values, at, values, at + 1, size - at);
        size++;
    }

    /** Returns the sum of the finite values. */
    double sum() {
        double sum = 0;
        for (int i = 0; i < size; i++) {
            sum += Double.isFinite(values[i]) ? values[i] : 0;
        }
        return sum;
    }

    /** Returns the value, other than NaN, of which the other's is the smallest; {@code null} where there is none. */
    @Nullable
    Double firstBy(BySeq times) {
        int first = -1;
        for (int i = 0; i < size; i++) {
            if (!Double.isNaN(values[i]) && (first < 0 || times.values[i] < times.values[first])) {
                first = i;
            }
        }
        return first < 0 ? null : (Double) values[first];
    }

    /** Returns how many values are NaN. */
    int absent() {
        int absent = 0;
        for (int i = 0; i < size; i++) {
            absent += Double.isNaN(values[i]) ? 1 : 0;
        }
        return absent;
    }

    /** Forgets the events up to that number, and gives back what memory they took. */
    void forgetUpTo(long seq) {
        int from = 0;
        while (from < size && seqs[from] <= seq) {
            from++;
        }
        seqs = from == size ? NO_SEQS : Arrays.copyOfRange(seqs, from, size);
        values = from == size ? NO_VALUES : Arrays.copyOfRange(values, from, size);
        size -= from;
    }

    void clear() {
        forgetUpTo(Long.MAX_VALUE);
    }
}
