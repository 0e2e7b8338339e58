package dev.rlm.sinks.event;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Types of {@link Event}. A switch over them that forgets one does not compile. */
public enum EventType {
    RUN_STARTED,
    STEP_STARTED,
    MODEL_CALLED,
    TOOL_CALLED,
    REWARD_GIVEN,
    STEP_ENDED,
    SPAN_RECORDED,
    ARTIFACT_SAVED,
    HEARTBEAT,
    RUN_ENDED,
    METRICS_REPORTED,
    STANDALONE_SPAN_RECORDED,
    LEDGER_REPORTED;

    private static final Map<String, EventType> BY_LABEL =
            Stream.of(values()).collect(Collectors.toUnmodifiableMap(EventType::label, Function.identity()));

    private final String label = name().toLowerCase(Locale.ROOT);

    /** The type's name in records: {@code run_started}. */
    public String label() {
        return label;
    }

    /** Returns whether its events are {@link RunEvent}s. */
    public boolean isOfRun() {
        return this != METRICS_REPORTED && this != STANDALONE_SPAN_RECORDED && this != LEDGER_REPORTED;
    }

    /** Returns the type of that {@linkplain #label name}; {@code null} for an unknown name. */
    public static @Nullable EventType of(String label) {
        return BY_LABEL.get(label);
    }
}
