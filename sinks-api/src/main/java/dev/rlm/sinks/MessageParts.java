package dev.rlm.sinks;

import org.jspecify.annotations.Nullable;

/**
 * Collects the parts of a message, in order. Used by one thread, and within the function that is given it
 * ({@link ModelCall#messageParts}).
 */
public interface MessageParts {
    /** Adds words. */
    MessageParts text(String text);

    /** Adds a model's thoughts. */
    MessageParts reasoning(String text);

    /** Adds a call that the assistant asks for. */
    MessageParts toolCall(String id, String tool, String arguments);

    /** Adds the result of such a call. */
    MessageParts toolResult(String id, String text);

    /** Adds a picture, by reference. */
    MessageParts image(String uri, @Nullable String mediaType, @Nullable String sha256);

    /** Adds a recording, by reference. */
    MessageParts audio(String uri, @Nullable String mediaType, @Nullable String sha256);

    /** Adds any other file, by reference. */
    MessageParts file(String uri, @Nullable String mediaType, @Nullable String sha256);
}
