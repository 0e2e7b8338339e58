package dev.rlm.benchmarks.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Verdict on a run of the soak.
 *
 * @param complaints problems that were found; empty if there are none
 */
record SoakVerdict(List<Sample> samples, List<String> complaints) {
    private static final double MIB = 1 << 20;

    /** Most bytes by which the heap may have grown over the second half. */
    private static final double HEAP_BOUND = MIB;

    /** Threads and descriptors come and go, a connection is three of them, but do not pile up. */
    private static final double COUNT_BOUND = 4;

    SoakVerdict {
        complaints = List.copyOf(complaints);
    }

    /**
     * Judges the samples, and adds what else was found.
     *
     * @param diskBound bytes that the journal may take
     */
    static SoakVerdict of(List<Sample> samples, List<String> found, long diskBound) {
        List<String> complaints = new ArrayList<>(found);
        double heap = Trend.of(samples, Sample::heap).growth();
        if (heap > HEAP_BOUND) {
            complaints.add("the heap grew by " + mebibytes(heap) + " over the second half");
        }
        double threads = Trend.of(samples, Sample::threads).growth();
        if (threads > COUNT_BOUND) {
            complaints.add("the threads became " + Math.round(threads) + " more over the second half");
        }
        double descriptors = Trend.of(samples, Sample::descriptors).growth();
        if (descriptors > COUNT_BOUND) {
            complaints.add("the open files became " + Math.round(descriptors) + " more over the second half");
        }
        double disk = most(samples);
        if (disk > diskBound) {
            complaints.add("the journal took " + mebibytes(disk) + ", more than " + mebibytes((double) diskBound));
        }
        return new SoakVerdict(List.copyOf(samples), complaints);
    }

    boolean isGood() {
        return complaints.isEmpty();
    }

    /** The figures on a line, then good or what is wrong. */
    String text() {
        String figures = String.format(
                Locale.ROOT,
                "second half: heap %+.2f MiB, threads %+.1f, open files %+.1f; journal at most %s",
                Trend.of(samples, Sample::heap).growth() / MIB,
                Trend.of(samples, Sample::threads).growth(),
                Trend.of(samples, Sample::descriptors).growth(),
                mebibytes(most(samples)));
        return figures + "\n" + (isGood() ? "good" : "WRONG: " + String.join("\nWRONG: ", complaints));
    }

    private static double most(List<Sample> samples) {
        return samples.stream().mapToDouble(Sample::disk).max().orElse(0);
    }

    private static String mebibytes(double bytes) {
        return String.format(Locale.ROOT, "%.1f MiB", bytes / MIB);
    }
}
