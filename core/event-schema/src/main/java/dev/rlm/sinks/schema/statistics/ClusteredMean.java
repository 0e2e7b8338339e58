package dev.rlm.sinks.schema.statistics;

import java.util.HashMap;
import java.util.Map;

/**
 * The mean of values that come in clusters, such as the runs of one sample: values of a cluster hang together, so that
 * many of them tell less than as many independent ones. The cluster-robust standard error (CR1) allows for that; where
 * each value is a cluster of its own it is the usual one.
 *
 * @param <K> type of a cluster's name
 */
public final class ClusteredMean<K> {
    private final Map<K, Cluster> clusters = new HashMap<>();
    private long count;
    private double sum;

    /** Adds a finite value. */
    public void add(K cluster, double value) {
        Cluster own = clusters.computeIfAbsent(cluster, key -> new Cluster());
        own.count++;
        own.sum += value;
        count++;
        sum += value;
    }

    /** The mean over all values so far. */
    public Estimate estimate() {
        return moments().estimate();
    }

    /** Returns what the mean and its error need of the clusters, which they do not name any more. */
    public ClusterMoments moments() {
        double mean = sum / count;
        double squares = 0;
        double products = 0;
        double sizes = 0;
        for (Cluster cluster : clusters.values()) {
            double residual = cluster.sum - cluster.count * mean;
            squares += residual * residual;
            products += residual * cluster.count;
            sizes += (double) cluster.count * cluster.count;
        }
        return new ClusterMoments(clusters.size(), count, sum, squares, products, sizes);
    }

    private static final class Cluster {
        private long count;
        private double sum;
    }
}
