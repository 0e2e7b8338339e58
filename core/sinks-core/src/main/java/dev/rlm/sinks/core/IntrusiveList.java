package dev.rlm.sinks.core;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * List of a run's open steps, calls or work, in the order of their starts. Guarded by the run's lock. A ring, which the list
 * itself closes, so that each node has neighbours while it is linked: a set would cost each a hash and an entry, and each run
 * a table.
 */
final class IntrusiveList<T extends OpenNode> extends OpenNode {
    IntrusiveList() {
        before = this;
        after = this;
    }

    void add(T open) {
        OpenNode last = Objects.requireNonNull(before, "a ring");
        open.before = last;
        open.after = this;
        last.after = open;
        before = open;
    }

    /** Takes it out; whether it was in it. */
    boolean remove(T open) {
        OpenNode earlier = open.before;
        OpenNode later = open.after;
        if (earlier == null || later == null) {
            return false;
        }
        earlier.after = later;
        later.before = earlier;
        open.before = null; // a runner may keep its handle
        open.after = null;
        return true;
    }

    boolean contains(T open) {
        return open.before != null;
    }

    @Nullable
    T first() {
        return element(after);
    }

    @Nullable
    T last() {
        return element(before);
    }

    @SuppressWarnings({"unchecked", "ReferenceEquality"}) // only such are added; the end is this very object
    private @Nullable T element(@Nullable OpenNode link) {
        return link == this ? null : (T) link;
    }
}
