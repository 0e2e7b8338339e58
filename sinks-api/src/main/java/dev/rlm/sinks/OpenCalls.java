package dev.rlm.sinks;

import org.jspecify.annotations.Nullable;

/**
 * The calls of a run that go on, in the order of their starts. Guarded by the run's lock. They are linked with one another:
 * a set would cost each call a hash and an entry, and each run a table.
 */
final class OpenCalls {
    private @Nullable LiveCall first;
    private @Nullable LiveCall last;

    @Nullable
    LiveCall first() {
        return first;
    }

    void add(LiveCall call) {
        call.open = true;
        call.before = last;
        if (last == null) {
            first = call;
        } else {
            last.after = call;
        }
        last = call;
    }

    /** Takes it out; whether it was among them. */
    boolean remove(LiveCall call) {
        if (!call.open) {
            return false;
        }
        LiveCall before = call.before;
        LiveCall after = call.after;
        if (before == null) {
            first = after;
        } else {
            before.after = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.before = before;
        }
        call.open = false;
        call.before = null; // an agent may keep its handle
        call.after = null;
        return true;
    }
}
