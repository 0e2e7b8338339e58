package dev.rlm.sinks.schema.statistics;

import java.io.Serializable;

/**
 * Moments of values that come in clusters, without the names of the clusters. A residual is what the sum of a cluster differs by from what
 * the mean of all values makes expect of so many.
 *
 * @param clusters number of clusters
 * @param count number of values
 * @param sum of the values
 * @param squares sum of the squares of the residuals
 * @param products sum of the products of each residual and its cluster's number of values
 * @param sizes sum of the squares of the clusters' numbers of values
 */
public record ClusterMoments(long clusters, long count, double sum, double squares, double products, double sizes)
        implements Serializable {
    /** Moments of no values. */
    public static final ClusterMoments NONE = new ClusterMoments(0, 0, 0, 0, 0, 0);

    /** Returns the moments of both, which must have no cluster in common. */
    public ClusterMoments merge(ClusterMoments other) {
        if (count == 0 || other.count == 0) {
            return count == 0 ? other : this;
        }
        double mean = (sum + other.sum) / (count + other.count);
        ClusterMoments one = around(mean);
        ClusterMoments two = other.around(mean);
        return new ClusterMoments(
                clusters + other.clusters,
                count + other.count,
                sum + other.sum,
                one.squares + two.squares,
                one.products + two.products,
                sizes + other.sizes);
    }

    /** Returns the same with residuals from another mean. */
    private ClusterMoments around(double mean) {
        double shift = sum / count - mean;
        return new ClusterMoments(
                clusters,
                count,
                sum,
                Math.max(0, squares + 2 * shift * products + shift * shift * sizes), // rounding may say less
                products + shift * sizes,
                sizes);
    }

    /** Returns the mean over all values. */
    public Estimate estimate() {
        return new Estimate(sum / count, standardError(), count, (int) clusters);
    }

    private double standardError() {
        return clusters < 2 ? Double.NaN : Math.sqrt(squares * clusters / (clusters - 1)) / count;
    }
}
