package dev.rlm.sinks.redaction;

import java.util.Comparator;

/**
 * A secret in a text.
 *
 * @param from the index of its first character
 * @param to the index behind its last one
 * @param secret what is secret, as it is without the encoding that it has there
 */
record FoundSecret(int from, int to, String kind, Rank rank, String secret) {
    /** Of overlapping ones the last says best what is there; it depends on nothing but the findings themselves. */
    static final Comparator<FoundSecret> TELLING = Comparator.comparingInt(FoundSecret::length)
            .thenComparing(FoundSecret::rank)
            .thenComparing(FoundSecret::kind)
            .thenComparing(FoundSecret::from);

    static final Comparator<FoundSecret> PLACE =
            Comparator.comparingInt(FoundSecret::from).thenComparing(FoundSecret::to);

    int length() {
        return to - from;
    }

    /** A finder's knowledge of what it found, the least first. */
    enum Rank {
        CONTEXT,
        NAMED,
        FORMAT,
        CUSTOM,
        VALUE
    }
}
