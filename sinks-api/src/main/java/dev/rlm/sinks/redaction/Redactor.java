package dev.rlm.sinks.redaction;

/**
 * Finds secrets in text. Implementations are found by {@link java.util.ServiceLoader}: one is public, has a public
 * constructor without parameters, and is named in {@code META-INF/services/dev.rlm.sinks.redaction.Redactor}.
 *
 * <p>It must be deterministic and safe for use by several threads: each sink may read the same text on its own thread. It
 * says where secrets are; what stands in their place is the hub's business. One that throws, or takes too long, costs the
 * text: nothing is let through unredacted.
 */
public interface Redactor {
    /** Marks every secret in the text. */
    void find(String text, Findings findings);
}
