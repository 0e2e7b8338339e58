package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of tokens of a model call; {@code null} where the server did not say. Those read from a cache and those written
 * to one are part of the input, reasoning ones of the output.
 */
@RecordBuilder
public record Usage(
        @Nullable Long inputTokens,
        @Nullable Long outputTokens,
        @Nullable Long cachedTokens,
        @Nullable Long reasoningTokens,
        @Recorded(since = 2) @Nullable Long cacheCreationTokens) {
    /** Nothing known. */
    public static final Usage UNKNOWN = new Usage(null, null, null, null);

    /** Tokens of a call of which nobody says how many were written to a cache. */
    public Usage(
            @Nullable Long inputTokens,
            @Nullable Long outputTokens,
            @Nullable Long cachedTokens,
            @Nullable Long reasoningTokens) {
        this(inputTokens, outputTokens, cachedTokens, reasoningTokens, null);
    }
}
