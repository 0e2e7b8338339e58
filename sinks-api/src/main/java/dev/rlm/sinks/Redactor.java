package dev.rlm.sinks;

/**
 * Finds secrets in text. Implementations are found by {@link java.util.ServiceLoader}: one is public, has a public
 * constructor without parameters, and is named in {@code META-INF/services/dev.rlm.sinks.Redactor}. One that
 * cannot be loaded keeps the program from starting.
 *
 * <p>It must be deterministic and safe for use by several threads: each sink may read the same text on its own thread. It
 * says where secrets are; what stands in their place is the hub's business. It is called on threads of its own, and has
 * five seconds for a text and 100 ms for a name or a tag. One that throws, or takes longer, costs the text: nothing is let
 * through unredacted. Of one that hangs nothing more is asked for a minute, which costs all text in that time.
 */
@FunctionalInterface
public interface Redactor {
    /** The most characters that a kind may have. */
    int MAX_KIND = 24;

    /** Marks every secret in the text. */
    void find(String text, Findings findings);
}
