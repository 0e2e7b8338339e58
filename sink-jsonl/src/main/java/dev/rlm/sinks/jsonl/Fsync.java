package dev.rlm.sinks.jsonl;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Time at which written events are made to survive a loss of power. They survive the death of the process in any case.
 */
public enum Fsync {
    /** With every group of events. */
    BATCH,
    /** With every group of events that holds the end of a run. */
    RUN,
    /** Never: that is left to the operating system. */
    NEVER;

    /** The name in configurations: {@code batch}. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    static List<String> labels() {
        return Arrays.stream(values()).map(Fsync::label).toList();
    }
}
