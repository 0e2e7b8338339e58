package dev.rlm.sinks.schema.statistics;

/** The attempts at one task by one policy, as numbers: how many are solved, and how far their rewards lie apart. */
public final class Group {
    private static final double SAME = 1e-9; // sums of the same numbers in another order differ by less

    private long decided;
    private long solved;
    private long rewards;
    private double mean;
    private double squares; // of the distances from the mean, summed up as Welford does
    private double min = Double.POSITIVE_INFINITY;
    private double max = Double.NEGATIVE_INFINITY;

    /** Adds an attempt of which it is known whether it is solved. */
    public void add(boolean isSolved) {
        decided++;
        solved += isSolved ? 1 : 0;
    }

    /** Adds the usable reward of an attempt. */
    public void add(double reward) {
        rewards++;
        double distance = reward - mean;
        mean += distance / rewards;
        squares += distance * (reward - mean);
        min = Math.min(min, reward);
        max = Math.max(max, reward);
    }

    /** Returns the number of attempts of which it is known whether they are solved. */
    public long decided() {
        return decided;
    }

    public long solved() {
        return solved;
    }

    /** Returns the number of attempts that have a usable reward. */
    public long rewards() {
        return rewards;
    }

    /** The lowest reward; that of all where all are the same. */
    public double reward() {
        return min;
    }

    /** The mean reward; NaN where there is none. */
    public double mean() {
        return rewards == 0 ? Double.NaN : mean;
    }

    /** The standard deviation of the rewards, with n − 1; NaN where there are fewer than two. */
    public double spread() {
        return isComparable() ? Math.sqrt(squares / (rewards - 1)) : Double.NaN;
    }

    /** Returns whether there are two usable rewards or more: only then one attempt can be told from another. */
    public boolean isComparable() {
        return rewards > 1;
    }

    /** Returns whether all rewards are the same, but for rounding. */
    public boolean isFlat() {
        if (Double.isInfinite(min) || Double.isInfinite(max)) {
            return min == max; // any difference from an infinity is within its size
        }
        return max - min <= SAME * Math.max(1, Math.max(Math.abs(min), Math.abs(max)));
    }
}
