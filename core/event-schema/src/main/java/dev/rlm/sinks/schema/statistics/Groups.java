package dev.rlm.sinks.schema.statistics;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Groups of attempts, and what may be expected of several attempts: the mean over the groups, so that each counts alike.
 *
 * @param <K> type of a group's name
 */
public final class Groups<K> {
    private final Map<K, Group> groups = new LinkedHashMap<>();
    private final Function<K, ?> cluster;

    /** No groups yet; those of the same cluster hang together. */
    public Groups(Function<K, ?> cluster) {
        this.cluster = cluster;
    }

    /** The group of that name, which is made where there is none. */
    public Group get(K name) {
        return groups.computeIfAbsent(name, key -> new Group());
    }

    /** All groups in the order in which they came. */
    public Map<K, Group> all() {
        return Collections.unmodifiableMap(groups);
    }

    /** Returns pass@k: the mean over the groups with at least k attempts. */
    public Estimate anyOf(int k) {
        return anyMoments(k).estimate();
    }

    /** Returns pass^k: the mean over the groups with at least k attempts. */
    public Estimate allOf(int k) {
        return allMoments(k).estimate();
    }

    /** Returns the moments of {@link #anyOf}, to be merged with those of groups elsewhere. */
    public ClusterMoments anyMoments(int k) {
        return over(k, PassEstimate::anyOf);
    }

    /** Returns the moments of {@link #allOf}, to be merged with those of groups elsewhere. */
    public ClusterMoments allMoments(int k) {
        return over(k, PassEstimate::allOf);
    }

    private ClusterMoments over(int k, Estimator estimator) {
        ClusteredMean<Object> mean = new ClusteredMean<>();
        groups.forEach((name, group) -> {
            if (group.decided() >= k) {
                mean.add(cluster.apply(name), estimator.of(k, group.decided(), group.solved()));
            }
        });
        return mean.moments();
    }

    /**
     * Returns the number of {@linkplain Group#decided decided} attempts in the largest group; 0 if there is no group.
     */
    public long largest() {
        return groups.values().stream().mapToLong(Group::decided).max().orElse(0);
    }

    /** Returns the default values of k for pass@k: 1, 2, 4 … as far as the largest group goes. */
    public List<Integer> ks() {
        return PassEstimate.ks(largest());
    }

    /** Returns the number of {@linkplain Group#isComparable comparable} groups. */
    public long comparable() {
        return groups.values().stream().filter(Group::isComparable).count();
    }

    /**
     * Returns the comparable groups whose rewards are all the same: the differences of their attempts teach nothing.
     */
    public Stream<Map.Entry<K, Group>> flat() {
        return groups.entrySet().stream()
                .filter(entry ->
                        entry.getValue().isComparable() && entry.getValue().isFlat());
    }

    /** Returns the mean of the comparable groups' {@linkplain Group#spread spreads}; NaN if there is none. */
    public double spread() {
        return groups.values().stream()
                .filter(Group::isComparable)
                .mapToDouble(Group::spread)
                .average()
                .orElse(Double.NaN);
    }

    @FunctionalInterface
    private interface Estimator {
        double of(int k, long n, long c);
    }
}
