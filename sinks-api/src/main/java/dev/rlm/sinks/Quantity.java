package dev.rlm.sinks;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times and sizes as people write them: a whole number and a unit. */
final class Quantity {
    private static final Pattern WRITTEN = Pattern.compile("(\\d{1,18}) ?([a-z]*)");
    private static final BigInteger LONGEST = BigInteger.valueOf(Long.MAX_VALUE);
    private static final Map<String, Long> MILLIS =
            Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);
    private static final Map<String, Long> BYTES = Map.of(
            "", 1L,
            "b", 1L,
            "kb", 1_000L,
            "mb", 1_000_000L,
            "gb", 1_000_000_000L,
            "tb", 1_000_000_000_000L,
            "kib", 1L << 10,
            "mib", 1L << 20,
            "gib", 1L << 30,
            "tib", 1L << 40);

    private Quantity() {}

    /** {@code 200ms}, {@code 90s}, {@code 30m}, {@code 12h}, {@code 7d}; {@code 0} needs no unit. */
    static Optional<Duration> duration(String text) {
        return text.equals("0")
                ? Optional.of(Duration.ZERO)
                : parse(text, MILLIS).map(Duration::ofMillis);
    }

    /** {@code 64MB}, in thousands; {@code 64MiB}, in steps of 1,024; a number alone is bytes. */
    static Optional<Long> bytes(String text) {
        return parse(text, BYTES);
    }

    private static Optional<Long> parse(String text, Map<String, Long> units) {
        Matcher written = WRITTEN.matcher(text.toLowerCase(Locale.ROOT));
        Long unit = written.matches() ? units.get(written.group(2)) : null;
        return Optional.ofNullable(unit)
                .map(factor -> new BigInteger(written.group(1)).multiply(BigInteger.valueOf(factor)))
                .filter(product -> product.compareTo(LONGEST) <= 0)
                .map(BigInteger::longValue);
    }
}
