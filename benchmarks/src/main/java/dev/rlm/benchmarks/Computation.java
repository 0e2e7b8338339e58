package dev.rlm.benchmarks;

/** A fixed amount of arithmetic: the same in every block, however fast the machine is at that moment. */
public final class Computation {
    private static final int TRIALS = 2_000; // until it is compiled
    private static final int TRIAL = 20_000;

    private final int rounds;
    private volatile long sink; // so that the arithmetic is not left out

    private Computation(int rounds) {
        this.rounds = rounds;
    }

    /** As much as takes about so long on this machine when nothing else runs. */
    public static Computation of(long nanos) {
        Computation trial = new Computation(TRIAL);
        long best = Long.MAX_VALUE;
        for (int i = 0; i < TRIALS; i++) {
            long start = System.nanoTime();
            trial.run();
            best = Math.min(best, System.nanoTime() - start);
        }
        return new Computation((int) Math.max(1, nanos * TRIAL / Math.max(1, best)));
    }

    /** Does it once. */
    public void run() {
        long x = sink + 1;
        for (int i = 0; i < rounds; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        sink = x;
    }
}
