package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/** How many tokens a model call took; {@code null} where the server did not say. Cached ones are part of the input, reasoning ones of the output. */
@RecordBuilder
public record Usage(
        @Nullable Long inputTokens,
        @Nullable Long outputTokens,
        @Nullable Long cachedTokens,
        @Nullable Long reasoningTokens) {
    /** Nothing known. */
    public static final Usage UNKNOWN = new Usage(null, null, null, null);
}
