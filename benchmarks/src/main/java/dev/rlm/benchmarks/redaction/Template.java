package dev.rlm.benchmarks.redaction;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Fills in what is random in a text: {@code <hex:32>} and the other placeholders that {@code forms.txt} explains. */
final class Template {
    private static final Pattern PLACEHOLDER = Pattern.compile("<([a-zA-Z0-9]+)(?::(\\d+))?>");
    private static final String DIGITS = "0123456789";
    private static final String HEX = DIGITS + "abcdef";
    private static final String LOWER = DIGITS + "abcdefghijklmnopqrstuvwxyz";
    private static final String UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final String ALPHANUMERIC = LOWER + "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    private static final int MIN_MIXED = 12; // characters

    private Template() {}

    static String fill(String template, RandomGenerator random) {
        return PLACEHOLDER.matcher(template.replace("\\n", "\n")).replaceAll(match -> {
            String length = match.group(2);
            return Matcher.quoteReplacement(
                    filled(match.group(1), length == null ? 0 : Integer.parseInt(length), random));
        });
    }

    private static String filled(String what, int length, RandomGenerator random) {
        return switch (what) {
            case "uuid" -> fill("<hex:8>-<hex:4>-4<hex:3>-a<hex:3>-<hex:12>", random);
            case "basic" ->
                Base64.getEncoder()
                        .encodeToString(
                                ("user:" + characters(20, ALPHANUMERIC, random)).getBytes(StandardCharsets.US_ASCII));
            case "digit" -> characters(length, DIGITS, random);
            case "hex" -> characters(length, HEX, random);
            case "HEX" -> characters(length, HEX, random).toUpperCase(Locale.ROOT);
            case "lower" -> characters(length, LOWER, random);
            case "upper" -> characters(length, UPPER, random);
            case "alnum" -> characters(length, ALPHANUMERIC, random);
            case "url" -> characters(length, ALPHANUMERIC + "-_", random);
            case "base64" -> characters(length, ALPHANUMERIC + "+/", random);
            default -> "<" + what + ">"; // none
        };
    }

    private static String characters(int length, String alphabet, RandomGenerator random) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            boolean digit = i >= 2 && i <= 8 && i % 2 == 0 && length >= MIN_MIXED && alphabet.length() > UPPER.length();
            String from = digit ? DIGITS : alphabet; // what every long secret has among its letters
            text.append(from.charAt(random.nextInt(from.length())));
        }
        return text.toString();
    }
}
