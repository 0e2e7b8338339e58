package dev.rlm.sinks.core;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Notes that few steps have: digests of the state before and after it, and tags. Guarded by the run's lock. */
final class StepNotes {
    final Map<String, String> tags = new LinkedHashMap<>();

    @Nullable
    String stateBefore;

    @Nullable
    String stateAfter;
}
