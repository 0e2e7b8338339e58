package dev.rlm.sinks.redaction;

/** Personal data that are redacted where the user asks for them. docs/redaction.md says which forms are found. */
public enum PersonalData {
    /** Addresses of e-mail. */
    EMAIL("RLM_REDACT_EMAIL", "email"),

    /** International telephone numbers. */
    PHONE("RLM_REDACT_PHONE", "phone"),

    /** Numbers of payment cards. */
    CARD("RLM_REDACT_CARD", "card"),

    /** International bank account numbers. */
    IBAN("RLM_REDACT_IBAN", "iban");

    private final String variable;
    private final String kind;

    PersonalData(String variable, String kind) {
        this.variable = variable;
        this.kind = kind;
    }

    /** The variable that asks for it. */
    public String variable() {
        return variable;
    }

    /** The kind that the mark in its place names. */
    String kind() {
        return kind;
    }
}
