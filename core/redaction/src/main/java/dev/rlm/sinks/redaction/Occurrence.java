package dev.rlm.sinks.redaction;

/** A keyword's occurrence in a text, and its lead. */
final class Occurrence {
    /** Characters on both sides of a keyword on which it depends what its lead comes to, unless that reaches far. */
    static final int NEAR = 96;

    private final Lead lead;
    private final int from;
    private final int to;
    private boolean reachesFar;

    Occurrence(Lead lead, int from, int to) {
        this.lead = lead;
        this.from = from;
        this.to = to;
    }

    Lead lead() {
        return lead;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    void reachFar() {
        reachesFar = true;
    }

    boolean reachesFar() {
        return reachesFar;
    }
}
