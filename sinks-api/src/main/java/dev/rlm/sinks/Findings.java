package dev.rlm.sinks;

/** Takes note of the secrets in a text. It may be used until the call that it was given to returns. */
@FunctionalInterface
public interface Findings {
    /**
     * Marks a secret. Secrets may overlap, and come in any order.
     *
     * @param from the index of its first character
     * @param to the index behind its last one
     * @param kind what it is, such as {@code github-token}: small letters, digits and hyphens, at most 24 of them
     * @throws IllegalArgumentException if it does not lie in the text, or the kind is not such a name
     * @throws IllegalStateException if the call is over, or more were marked than the text has characters
     */
    void secret(int from, int to, String kind);
}
