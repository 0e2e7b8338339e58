package dev.rlm.journal.line;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads values of JSON that {@link JsonSyntax} has found whole, and so checks nothing. Whole numbers come as the smallest of
 * {@link Integer}, {@link Long} and {@link BigInteger} that holds them, others as {@link Double}.
 */
final class WholeJson {
    private static final int MAX_DIGITS = 18; // so many a long always holds
    private static final long MAX_EXACT = 1L << 53; // whole numbers up to there a double holds
    private static final double[] POWERS = powers();

    private final byte[] bytes;
    private int at;

    private WholeJson(byte[] bytes, int from) {
        this.bytes = bytes;
        this.at = from;
    }

    /** The value that begins there. */
    static @Nullable Object value(byte[] bytes, int from) {
        return bytes[from] == '"' ? JsonText.of(bytes, from + 1) : new WholeJson(bytes, from).value();
    }

    /**
     * The number that begins there, as {@link Number#longValue} tells it.
     *
     * @throws RuntimeException if it is something else
     */
    static long number(byte[] bytes, int from) {
        int end = digitsEnd(bytes, from);
        boolean plain = end > from && end - from <= MAX_DIGITS && (bytes[end] == ',' || bytes[end] == '}');
        if (plain) { // as nearly all are
            return digits(bytes, from, end, 0);
        }
        return ((Number) Objects.requireNonNull(value(bytes, from))).longValue();
    }

    /** The fields of the object that begins there, in their order; of two with one name the last. */
    static Map<String, @Nullable Object> fields(byte[] bytes, int from) {
        return new WholeJson(bytes, from).object();
    }

    private Map<String, @Nullable Object> object() {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        next();
        while (bytes[at] != '}') {
            String name = string();
            space();
            next(); // behind the colon
            object.put(name, value());
            separator();
        }
        at++;
        return object;
    }

    private List<@Nullable Object> list() {
        List<@Nullable Object> list = new ArrayList<>();
        next();
        while (bytes[at] != ']') {
            list.add(value());
            separator();
        }
        at++;
        return list;
    }

    private void separator() {
        space();
        if (bytes[at] == ',') {
            next();
        }
    }

    /** Goes to what stands behind this byte. */
    private void next() {
        at++;
        space();
    }

    private void space() {
        while (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r' || bytes[at] == '\n') {
            at++;
        }
    }

    private @Nullable Object value() {
        return switch (bytes[at]) {
            case '"' -> string();
            case '{' -> object();
            case '[' -> list();
            case 't' -> literal("true", true);
            case 'f' -> literal("false", false);
            case 'n' -> literal("null", null);
            default -> number();
        };
    }

    private @Nullable Object literal(String text, @Nullable Object value) {
        at += text.length();
        return value;
    }

    private String string() {
        int start = at + 1;
        at = JsonText.end(bytes, start) + 1;
        return JsonText.of(bytes, start);
    }

    private Number number() {
        int start = at;
        boolean negative = bytes[at] == '-';
        at += negative ? 1 : 0;
        int end = digitsEnd(bytes, at);
        long number = digits(bytes, at, end, 0);
        at = end;
        if (bytes[at] == '.' || bytes[at] == 'e' || bytes[at] == 'E') {
            return decimal(start, number, negative);
        } else if (at - start > MAX_DIGITS) {
            return large(start);
        }
        return narrow(negative ? -number : number);
    }

    private static int digitsEnd(byte[] bytes, int from) {
        int end = from;
        while (bytes[end] >= '0' && bytes[end] <= '9') {
            end++;
        }
        return end;
    }

    private static long digits(byte[] bytes, int from, int to, long before) {
        long number = before;
        for (int i = from; i < to; i++) {
            number = number * 10 + bytes[i] - '0';
        }
        return number;
    }

    private double decimal(int start, long whole, boolean negative) {
        int places = 0;
        long number = whole;
        if (bytes[at] == '.') {
            int end = digitsEnd(bytes, at + 1);
            places = end - at - 1;
            number = digits(bytes, at + 1, end, whole);
            at = end;
        }
        boolean ends = bytes[at] != 'e' && bytes[at] != 'E';
        if (ends && at - start <= MAX_DIGITS && number <= MAX_EXACT) {
            double value = number / POWERS[places]; // both are exact, so that this is rounded once: as it should be
            return negative ? -value : value;
        }
        while ((bytes[at] >= '0' && bytes[at] <= '9') || "+-eE".indexOf(bytes[at]) >= 0) {
            at++;
        }
        return Double.parseDouble(text(start));
    }

    private static double[] powers() {
        double[] powers = new double[MAX_DIGITS + 1]; // of ten; a double holds those up to 10^22
        powers[0] = 1;
        for (int i = 1; i < powers.length; i++) {
            powers[i] = powers[i - 1] * 10;
        }
        return powers;
    }

    private String text(int start) {
        return new String(bytes, start, at - start, StandardCharsets.ISO_8859_1);
    }

    private Number large(int start) {
        BigInteger number = new BigInteger(text(start));
        return number.bitLength() < Long.SIZE ? narrow(number.longValue()) : number;
    }

    private static Number narrow(long number) {
        if (number == (int) number) {
            return (int) number;
        }
        return number;
    }
}
