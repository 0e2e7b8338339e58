package dev.rlm.sinks;

/**
 * How a sink, or a provider that was found, stands.
 *
 * @param enabled whether it was chosen
 * @param available whether it works as far as it knows; {@code false} for one that could not be made
 * @param detail where it writes to, or why it does not work; one line without secrets
 */
public record SinkStatus(String name, boolean enabled, boolean available, String detail, Ledger ledger) {}
