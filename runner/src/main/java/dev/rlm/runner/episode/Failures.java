package dev.rlm.runner.episode;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The runs of a job that have failed for good, and the limit of how many there may be. Safe for use by several threads. */
final class Failures {
    private static final int KEPT = 5;

    private final int limit;
    private final List<Failure> first = new ArrayList<>(); // guarded by this, as the count
    private int count;

    /** None yet; a limit of 0 is none. */
    Failures(int limit) {
        this.limit = limit;
    }

    /** Adds one; whether it is the one that strikes the limit, which only one ever is. */
    synchronized boolean add(String runId, @Nullable Throwable error) {
        count++;
        if (first.size() < KEPT) {
            first.add(new Failure(runId, error == null ? "" : error.toString()));
        }
        return count == limit;
    }

    /** Whether there are as many as the limit allows no more. */
    synchronized boolean haveStruck() {
        return limit > 0 && count >= limit;
    }

    /** The first few. */
    synchronized List<Failure> first() {
        return List.copyOf(first);
    }
}
