package dev.rlm.sinks;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times and sizes as people write them, in variables as on a command line: a number, which may have a fraction, and a unit. */
public final class Quantity {
    private static final String NUMBER = "(\\d{1,18}(?:\\.\\d{1,9})?) ?";
    private static final Pattern TIME = Pattern.compile(NUMBER + "([a-zµμ]+)");
    private static final Pattern SIZE = Pattern.compile(NUMBER + "(?:([kmgt])(i?)b|b?)");
    private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final Map<String, Long> NANOS = Map.of(
            "ns", 1L,
            "us", 1_000L,
            "µs", 1_000L, // the micro sign
            "μs", 1_000L, // the Greek letter
            "ms", 1_000_000L,
            "s", 1_000_000_000L,
            "m", 60_000_000_000L,
            "h", 3_600_000_000_000L,
            "d", 86_400_000_000_000L);

    private Quantity() {}

    /**
     * Returns the time that is written as {@code 200ms}, {@code 1.5s}, {@code 30m}, {@code 12h} or {@code 7d}, of 292 years at
     * the most; {@code 0} needs no unit. Empty where it is none.
     */
    public static Optional<Duration> duration(String text) {
        Matcher written = TIME.matcher(text.toLowerCase(Locale.ROOT));
        Long unit = written.matches() ? NANOS.get(written.group(2)) : null;
        return text.equals("0")
                ? Optional.of(Duration.ZERO)
                : Optional.ofNullable(unit)
                        .flatMap(nanos -> product(written, BigDecimal.valueOf(nanos)))
                        .map(Duration::ofNanos);
    }

    /**
     * Returns the bytes that are written as {@code 64MB}, in thousands, or {@code 1.5GiB}, in steps of 1,024; a number alone is
     * of bytes. Empty where it is none.
     */
    public static Optional<Long> bytes(String text) {
        Matcher written = SIZE.matcher(text.toLowerCase(Locale.ROOT));
        if (!written.matches()) {
            return Optional.empty();
        }
        int power = written.group(2) == null ? 0 : "kmgt".indexOf(written.group(2)) + 1;
        return product(
                written,
                BigDecimal.valueOf("i".equals(written.group(3)) ? 1_024 : 1_000).pow(power));
    }

    private static Optional<Long> product(Matcher written, BigDecimal unit) {
        BigDecimal product = new BigDecimal(written.group(1)).multiply(unit);
        return product.compareTo(LARGEST) > 0 ? Optional.empty() : Optional.of(product.longValue());
    }
}
