package dev.rlm.journal.line;

import java.util.HashSet;
import java.util.Set;

/** Numbers of a run's events that have been seen. Without gaps they take no memory. */
public final class SeenSeqs {
    private long upTo; // all numbers so far have been seen
    private Set<Long> beyond = Set.of(); // numbers behind a gap

    /** Adds a number, and returns whether it had not been seen. */
    public boolean add(long seq) {
        if (seq == upTo + 1 && beyond.isEmpty()) {
            upTo = seq;
            return true;
        } else if (seq <= upTo) {
            return false;
        }
        beyond = beyond.isEmpty() ? new HashSet<>() : beyond;
        boolean isNew = beyond.add(seq);
        while (beyond.remove(upTo + 1)) {
            upTo++;
        }
        return isNew;
    }

    /** Returns how many different numbers up to that one have been seen. */
    public long count(long last) {
        return Math.min(last, upTo) + beyond.stream().filter(seq -> seq <= last).count();
    }
}
