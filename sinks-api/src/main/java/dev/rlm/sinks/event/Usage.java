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

    /** Makes the usage of a call whose number of tokens written to a cache is not known. */
    public Usage(
            @Nullable Long inputTokens,
            @Nullable Long outputTokens,
            @Nullable Long cachedTokens,
            @Nullable Long reasoningTokens) {
        this(inputTokens, outputTokens, cachedTokens, reasoningTokens, null);
    }
}
