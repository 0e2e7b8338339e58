package dev.rlm.journal;

import dev.rlm.sinks.event.Content;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Values of every kind that breaks things, the same ones for the same seed: as they are given, or as they are read again. */
final class HostileValues {
    static final List<String> TEXTS = List.of(
            "",
            " ",
            "\u0000",
            "\u0001\b\t\n\f\r\u001B[31m\u001F\u007F",
            "\u0080\u0085\u009B31m\u009F\u00AD",
            "\u2028\u2029\u200B\u200D\u2060\uFEFF",
            "\u202A\u202E\u2066\u2069 reversed",
            "\uFFFE\uFFFF\uFDD0",
            "\uD800",
            "\uDFFF\uD800",
            "😀",
            "e\u0301\uDB40\uDC01",
            "\"\\/",
            "\\u0000\\uD800\\n",
            "{\"type\":\"run_ended\",\"run_id\":\"r\"}\n{\"type\":",
            "</script><!--",
            "NaN",
            "Infinity",
            "null",
            "[CUT:1:2:" + "0".repeat(64) + "]",
            "[REDACTED:env:01234567]",
            "1e999",
            "__proto__",
            "type");
    private static final double[] NUMBERS = {
        0,
        -0.0,
        1,
        -1,
        0.1,
        1e-7,
        1e21,
        123456789012345680.0,
        9007199254740994.0,
        Double.MIN_VALUE,
        Double.MIN_NORMAL,
        Double.MAX_VALUE,
        -Double.MAX_VALUE,
        Math.PI
    };
    private static final double[] ODD_NUMBERS = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};
    private static final long[] WHOLE = {
        0,
        1,
        -1,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        1L + Integer.MAX_VALUE,
        (1L << 53) + 1,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    private final SplittableRandom random;
    private final boolean asRead;

    HostileValues(long seed, boolean asRead) {
        this.random = new SplittableRandom(seed);
        this.asRead = asRead;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    <T> @Nullable T maybe(Supplier<T> value) {
        return chance(2) ? null : value.get();
    }

    String text() {
        int kind = below(20);
        if (kind < 10) {
            return "word".repeat(below(8));
        } else if (kind < 17) {
            return snippet() + (chance(2) ? snippet() : "");
        } else if (kind < 19) {
            return characters(below(30));
        }
        return chance(5_000) ? characters(5).repeat(below(400_000)) : snippet().repeat(below(20));
    }

    private String snippet() {
        return TEXTS.get(below(TEXTS.size()));
    }

    /** Any, halves of pairs among them. */
    private String characters(int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) random.nextInt(chance(4) ? 0x10000 : 0x250));
        }
        return text.toString();
    }

    Content content() {
        return Content.redacted(text());
    }

    /** Text that is no content. */
    String name() {
        String name = text();
        return asRead ? Content.limited(name) : name;
    }

    String nameThatIsNotBlank() {
        String name = name();
        return name.isBlank() ? "x" : name;
    }

    /** A number other than NaN and the infinities. */
    double finite() {
        return chance(2) ? NUMBERS[below(NUMBERS.length)] : random.nextDouble(-1, 1);
    }

    double number() {
        return chance(4) ? ODD_NUMBERS[below(ODD_NUMBERS.length)] : finite();
    }

    long whole() {
        return chance(2) ? WHOLE[below(WHOLE.length)] : random.nextLong(1L << 40);
    }

    long notNegative() {
        return whole() & Long.MAX_VALUE;
    }

    int integer() {
        return (int) whole();
    }

    Instant time() {
        return Instant.ofEpochSecond(random.nextLong(-100_000_000_000L, 300_000_000_000L), below(1_000_000_000));
    }

    /** Mostly one of few: readers learn names by heart. */
    private String key() {
        return chance(50) ? text() : snippet();
    }

    Map<String, String> texts() {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = below(3); i > 0; i--) {
            map.put(key(), text());
        }
        return map;
    }

    Map<String, Double> numbers() {
        Map<String, Double> map = new LinkedHashMap<>();
        for (int i = below(3); i > 0; i--) {
            map.put(key(), number());
        }
        return map;
    }

    Map<String, Object> values() {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = below(3); i > 0; i--) {
            map.put(key(), value(4));
        }
        return map;
    }

    private Object value(int depth) {
        return switch (below(depth > 0 ? 14 : 11)) {
            case 0, 1, 2 -> text();
            case 3 -> whole();
            case 4 -> finite();
            case 5 -> asRead ? oddNumber().toString() : oddNumber();
            case 6 -> chance(2);
            case 7 -> bigNumber();
            case 8 -> oddObject();
            case 9 -> (float) (finite() % 1e30);
            case 10 -> new AtomicLong(whole());
            case 11 -> list(depth - 1);
            case 12 -> values();
            default -> array(depth - 1);
        };
    }

    private Double oddNumber() {
        return ODD_NUMBERS[below(ODD_NUMBERS.length)];
    }

    private Number bigNumber() {
        BigInteger big = BigInteger.TEN.pow(below(chance(10) ? 400 : 30)).add(BigInteger.valueOf(whole()));
        return chance(2) ? big : new BigDecimal(big, random.nextInt(-1_000_000, 1_000_000));
    }

    private List<Object> list(int depth) {
        List<Object> list = new ArrayList<>();
        for (int i = below(4); i > 0; i--) {
            list.add(value(depth));
        }
        return list;
    }

    private Object array(int depth) {
        return chance(2) ? new long[] {whole(), whole()} : list(depth).toArray();
    }

    private Object oddObject() {
        if (chance(2_000)) {
            List<Object> cyclic = new ArrayList<>();
            cyclic.add(cyclic);
            cyclic.add(chance(2) ? "end" : cyclic);
            return cyclic;
        }
        return switch (below(5)) {
            case 0 -> TimeUnit.DAYS;
            case 1 -> Optional.of(text());
            case 2 -> time();
            case 3 -> 'c';
            default ->
                new Object() {
                    @Override
                    public String toString() {
                        throw new StackOverflowError();
                    }
                };
        };
    }
}
