package dev.rlm.sinks.event;

import org.jspecify.annotations.Nullable;

/**
 * A document that a retrieval found. Its text is not part of it.
 *
 * @param id by which its data source knows it
 * @param score how well it fits, as the data source counts; {@code null} where it gives none
 * @param sha256 of its text, as 64 hexadecimal digits; {@code null} where that is not known
 */
public record RetrievedDocument(
        @Recorded(id = true, required = true) String id,
        @Nullable Double score,
        @Nullable String sha256) {
    public RetrievedDocument {
        id = Checks.orEmpty(id);
    }
}
