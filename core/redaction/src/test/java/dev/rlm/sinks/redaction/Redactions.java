package dev.rlm.sinks.redaction;

import java.util.List;
import java.util.Set;

/** Redactions for tests. */
final class Redactions {
    private Redactions() {}

    /** Returns one that knows of no values, no personal data and no further redactors. */
    static Redaction plain() {
        return new Redaction(RedactionOptions.of(true, Set.of(), List.of()));
    }
}
