package dev.rlm.runs;

import dev.rlm.cli.terminal.Printable;
import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The sums of what model calls cost, a sum for each currency. */
public final class Costs {
    private final Map<String, BigDecimal> sums = new TreeMap<>(); // decimal, so that sums have no digits of their own
    private long calls;

    /** Adds what a call cost; {@code null} where it does not tell that. */
    public void add(@Nullable Double amount, @Nullable String currency) {
        if (amount != null && Double.isFinite(amount)) {
            sums.merge(currency == null ? "" : currency, BigDecimal.valueOf(amount), BigDecimal::add);
            calls++;
        }
    }

    /** Returns how many calls tell what they cost. */
    public long calls() {
        return calls;
    }

    /** The sum; {@code null} where no call tells its cost, or calls cost different currencies. */
    public @Nullable Double sum() {
        return sums.size() == 1 ? (Double) sums.values().iterator().next().doubleValue() : null;
    }

    /** All sums with their currencies; empty where no call tells its cost. */
    @Override
    public String toString() {
        return sums.entrySet().stream()
                .map(sum -> Printable.line((sum.getValue().toPlainString() + " " + sum.getKey()).strip()))
                .collect(Collectors.joining(", "));
    }
}
