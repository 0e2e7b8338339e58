package dev.rlm.sinks;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * State of a sink, or of a provider that was found.
 *
 * @param enabled whether it was chosen
 * @param available whether it works as far as it knows; {@code false} for one that could not be made
 * @param detail where it writes to, or why it does not work; one line without secrets
 * @param facts more of the same for a closer look: strings and numbers by name, in order
 * @param retained about how many bytes are held by what is queued for it, rather too many than too few: two a character of
 *     text, 128 a text, 64 a value, 24 a token and 256 an event besides. What several sinks have queued counts for each of
 *     them, and what a sink keeps itself for none
 */
public record SinkStatus(
        String name,
        boolean enabled,
        boolean available,
        String detail,
        Ledger ledger,
        Map<String, Object> facts,
        long retained) {
    public SinkStatus {
        facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
    }

    /** One without facts, for which nothing is queued. */
    public SinkStatus(String name, boolean enabled, boolean available, String detail, Ledger ledger) {
        this(name, enabled, available, detail, ledger, Map.of(), 0);
    }
}
