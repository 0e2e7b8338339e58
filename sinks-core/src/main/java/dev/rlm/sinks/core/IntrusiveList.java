package dev.rlm.sinks;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What goes on in a run of one kind, in the order of the starts. Guarded by the run's lock. A ring, which the chain itself
 * closes, so that each has neighbours while it is linked: a set would cost each a hash and an entry, and each run a table.
 */
final class Chain<T extends Open> extends Open {
    Chain() {
        before = this;
        after = this;
    }

    void add(T open) {
        Open last = Objects.requireNonNull(before, "a ring");
        open.before = last;
        open.after = this;
        last.after = open;
        before = open;
    }

    /** Takes it out; whether it was in it. */
    boolean remove(T open) {
        Open earlier = open.before;
        Open later = open.after;
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
    private @Nullable T element(@Nullable Open link) {
        return link == this ? null : (T) link;
    }
}
