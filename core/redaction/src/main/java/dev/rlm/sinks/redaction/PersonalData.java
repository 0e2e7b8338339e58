package dev.rlm.sinks.redaction;

import dev.rlm.sinks.redaction.regex.Escapes;
import java.util.List;

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

    private static final int MAX_USER = 64;

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
    public String kind() {
        return kind;
    }

    /** Returns the rule for addresses of e-mail. */
    static Rule email() {
        return new Rule(
                EMAIL.kind,
                FoundSecret.Rank.CONTEXT,
                List.of("@", "%40"),
                new Expression("[\\w.%+\\-]{1,64}(?:@|%40)[A-Za-z0-9\\-]{1,63}"
                        + "(?:\\.[A-Za-z0-9\\-]{1,63}){0,8}\\.[A-Za-z]{2,24}"),
                (text, keyword) -> true,
                c -> Escapes.isAlphanumeric(c) || "._+-%".indexOf(c) >= 0,
                MAX_USER,
                Check.NONE,
                false);
    }
}
