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
        @Recorded(required = true) String name,
        @Recorded(required = true) double value,
        @Recorded(standard = "1") double weight,
        @Nullable String unit) {
    public RewardComponent {
        Checks.notBlank(name, "component name");
    }
}
