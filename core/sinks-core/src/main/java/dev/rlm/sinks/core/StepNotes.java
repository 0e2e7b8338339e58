package dev.rlm.sinks.core;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Notes that few steps have: digests of the state before and after it, tags, and whether its time was up. Guarded by the run's lock. */
final class StepNotes {
    final Map<String, String> tags = new LinkedHashMap<>();

    @Nullable
    String stateBefore;

    @Nullable
    String stateAfter;

    boolean timedOut; // it has ended since its time was up
}
