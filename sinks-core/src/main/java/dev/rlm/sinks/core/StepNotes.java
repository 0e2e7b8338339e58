package dev.rlm.sinks.core;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Notes that few steps have: digests of the state before and after it, and tags. Guarded by the run's lock. */
final class StepNotes {
    private final Map<String, String> tags = new LinkedHashMap<>();
    private @Nullable String stateBefore;
    private @Nullable String stateAfter;

    void state(@Nullable String before, @Nullable String after) {
        stateBefore = before;
        stateAfter = after;
    }

    void tag(String name, String value) {
        tags.put(name, value);
    }

    @Nullable
    String stateBefore() {
        return stateBefore;
    }

    @Nullable
    String stateAfter() {
        return stateAfter;
    }

    Map<String, String> tags() {
        return tags;
    }
}
