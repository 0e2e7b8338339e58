package dev.rlm.sinks;

import org.jspecify.annotations.Nullable;

/**
 * Collects the parts of a message, in order. Used by one thread, and within the function that is given it
 * ({@link ModelCall#messageParts}).
 */
public interface MessageParts {
    /** Adds words. */
    default MessageParts text(String text) {
        return this;
    }

    /** Adds a model's thoughts. */
    default MessageParts reasoning(String text) {
        return this;
    }

    /** Adds a call that the assistant asks for. */
    default MessageParts toolCall(String id, String tool, String arguments) {
        return this;
    }

    /** Adds the result of such a call. */
    default MessageParts toolResult(String id, String text) {
        return this;
    }

    /** Adds a picture, by reference. */
    default MessageParts image(String uri, @Nullable String mediaType, @Nullable String sha256) {
        return this;
    }

    /** Adds a recording, by reference. */
    default MessageParts audio(String uri, @Nullable String mediaType, @Nullable String sha256) {
        return this;
    }

    /** Adds any other file, by reference. */
    default MessageParts file(String uri, @Nullable String mediaType, @Nullable String sha256) {
        return this;
    }
}
