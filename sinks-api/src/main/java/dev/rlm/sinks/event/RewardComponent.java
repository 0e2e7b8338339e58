package dev.rlm.sinks.event;

import org.jspecify.annotations.Nullable;

/**
 * A part that explains a reward. It never adds to the reward's value, which is authoritative.
 *
 * @param value what the component came to, before weighting
 * @param weight what it is multiplied by
 * @param unit of the value, as UCUM writes it; {@code null} for a plain number
 */
public record RewardComponent(
        String name, double value, double weight, @Nullable String unit) {
    public RewardComponent {
        Checks.notBlank(name, "component name");
    }
}
