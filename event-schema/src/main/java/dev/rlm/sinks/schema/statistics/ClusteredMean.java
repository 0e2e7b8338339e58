package dev.rlm.sinks.schema.statistics;

import java.util.HashMap;
import java.util.Map;

/**
 * The mean of values that come in clusters, such as the runs of one sample: values of a cluster hang together, so that
 * many of them tell less than as many independent ones. The cluster-robust standard error (CR1) allows for that; where
 * each value is a cluster of its own it is the usual one.
 *
 * @param <K> what names a cluster
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
        double mean = sum / count;
        return new Estimate(mean, standardError(mean), count, clusters.size());
    }

    private double standardError(double mean) {
        int size = clusters.size();
        if (size < 2) {
            return Double.NaN;
        }
        double squares = 0;
        for (Cluster cluster : clusters.values()) {
            double residual = cluster.sum - cluster.count * mean;
            squares += residual * residual;
        }
        return Math.sqrt(squares * size / (size - 1)) / count;
    }

    private static final class Cluster {
        private long count;
        private double sum;
    }
}
