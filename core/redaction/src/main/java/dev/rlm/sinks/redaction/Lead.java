package dev.rlm.sinks.redaction;

/** Follows up a {@linkplain Keywords keyword} in a text: looks at the place and notes what it finds there. */
@FunctionalInterface
interface Lead {
    /** Looks at the keyword's occurrence from one index to behind the other. */
    void follow(Search search, int from, int to);
}
