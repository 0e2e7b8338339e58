package dev.rlm.sinks.redaction;

/** What a {@linkplain Keywords keyword} in a text may lead to: looks at the place and notes what it finds there. */
@FunctionalInterface
interface Lead {
    /** Looks at the keyword's occurrence from one index to behind the other. */
    void follow(Search search, int from, int to);
}
