package dev.rlm.sinks.redaction;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Made-up secrets, put together while a test runs, so that nobody who looks for secrets in source code finds one here.
 *
 * @param kind as what it is found
 * @param secret what must not be seen
 * @param text where it stands
 */
record Planted(String kind, String secret, String text) {
    static final String ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    static final String HEX = "0123456789abcdef";
    static final String URL_SAFE = ALPHANUMERIC + "-_";
    static final String BASE64 = ALPHANUMERIC + "+/";
    private static final String UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final String DIGITS = "0123456789";

    private static final String LOWER = "abcdefghijklmnopqrstuvwxyz0123456789";
    private static final Pattern PLACEHOLDER = Pattern.compile("<([a-zA-Z0-9]+)(?::(\\d+))?>");

    /** What stands in a text for the secret. */
    private static final String HERE = "@@";

    static String random(Random random, int length, String alphabet) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        // as random as it is, it has what every long secret has
        if (length >= 12 && alphabet.length() > UPPER.length()) {
            for (int i = 0; i < 4; i++) {
                text.setCharAt(2 + 2 * i, DIGITS.charAt(random.nextInt(DIGITS.length())));
            }
        }
        return text.toString();
    }

    /** Returns makers of every kind, at least one of each. */
    static List<Function<Random, Planted>> formats() {
        List<Function<Random, Planted>> all = new ArrayList<>();
        all.add(random -> new Planted("jwt", jwt(random, 200), HERE));
        all.add(random -> new Planted("jwt", jwt(random, 8_000), HERE));
        all.add(random -> new Planted("private-key", pem(random, 90, ""), HERE));
        all.add(random -> new Planted("private-key", pem(random, 20, "OPENSSH "), "key: |\n" + HERE));
        Form.all()
                .forEach(form ->
                        form.values("find").forEach(example -> all.add(random -> of(form.kind(), example, random))));
        return all;
    }

    /** An example of {@code forms.txt}, with what is random filled in. */
    static Planted of(String kind, String example, Random random) {
        String filled = PLACEHOLDER
                .matcher(example.replace("\\n", "\n"))
                .replaceAll(match -> Matcher.quoteReplacement(
                        filled(match.group(1), match.group(2) == null ? 0 : Integer.parseInt(match.group(2)), random)));
        int from = filled.lastIndexOf("<<");
        int to = filled.lastIndexOf(">>");
        return from < 0
                ? new Planted(kind, filled, HERE)
                : new Planted(
                        kind,
                        filled.substring(from + 2, to),
                        filled.substring(0, from) + HERE + filled.substring(to + 2));
    }

    private static String filled(String what, int length, Random random) {
        return switch (what) {
            case "uuid" -> uuid(random);
            case "basic" -> Base64.getEncoder().encodeToString(bytes("user:" + random(random, 20, ALPHANUMERIC)));
            case "hex" -> random(random, length, HEX);
            case "HEX" -> random(random, length, HEX).toUpperCase(Locale.ROOT);
            case "upper" -> random(random, length, UPPER);
            case "lower" -> random(random, length, LOWER);
            case "digit" -> random(random, length, DIGITS);
            case "url" -> random(random, length, URL_SAFE);
            case "base64" -> random(random, length, BASE64);
            case "alnum" -> random(random, length, ALPHANUMERIC);
            default -> "<" + what + ">"; // an element
        };
    }

    Planted at(String text) {
        return new Planted(kind, secret, text);
    }

    /** Where it stands in the text, in full. */
    String inContext() {
        return text.replace(HERE, secret);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String uuid(Random random) {
        return random(random, 8, HEX) + "-" + random(random, 4, HEX) + "-4" + random(random, 3, HEX) + "-a"
                + random(random, 3, HEX) + "-" + random(random, 12, HEX);
    }

    private static String jwt(Random random, int length) {
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        String header = encoder.encodeToString(bytes("{\"alg\":\"HS256\",\"typ\":\"JWT\"}"));
        String claims = encoder.encodeToString(bytes("{\"sub\":\"" + random(random, length, ALPHANUMERIC) + "\"}"));
        return header + "." + claims + "." + random(random, 43, URL_SAFE);
    }

    private static String pem(Random random, int lines, String type) {
        StringBuilder pem = new StringBuilder("-----BEG" + "IN " + type + "PRIVATE KEY-----\n");
        for (int i = 0; i < lines; i++) {
            pem.append(random(random, i == lines - 1 ? 30 : 64, BASE64)).append('\n');
        }
        return pem.append("-----E" + "ND ")
                .append(type)
                .append("PRIVATE KEY-----")
                .toString();
    }
}
