package dev.rlm.sinks.redaction;

import dev.rlm.sinks.redaction.regex.LazyDfa;
import dev.rlm.sinks.redaction.regex.RegexParser;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Judges whether a value that stands where secrets do is one, and no name, no variable and no example of one. */
final class Plausible {
    private static final String EXAMPLES =
            "your|example|change[_-]?me|placeholder|xxxx|\\*{4}|\\.{4}|dummy|redacted|[<>{}]|\\$\\(|%s|insert|replace|process\\.env|environ|getenv";
    private static final LazyDfa EXAMPLE = new LazyDfa(RegexParser.parse("(?is:.*(?:" + EXAMPLES + "))"));
    private static final List<LazyDfa> NO_EXAMPLE = List.of(EXAMPLE);
    private static final Pattern COOKIES = Pattern.compile("[=;\\s]");
    private static final LazyDfa NAME = LazyDfa.ofWhole(
            "[a-z_]+\\d{0,3}|[A-Z_]+\\d{0,3}|[a-z]+(?:[A-Z][a-z]+)*\\d{0,2}|[A-Za-z_]\\w*(?:[.:/-]+[A-Za-z_]\\w*)+|[a-z_\\d]*_[a-z_\\d]*|[\\w.-]+:\\d+");
    private static final LazyDfa CALL = LazyDfa.ofWhole("[a-z][a-z0-9_]{1,24}(?:\\.[a-z][a-zA-Z0-9_]{1,32}){1,3}");
    private static final LazyDfa PLAIN = LazyDfa.ofWhole(
            "(?i:[a-z_-]*(?:pass|pwd|word|test|hello|secret|admin|user|abc|qwerty|foo|bar|demo|temp|sample|letmein|welcome|sesame|swordfish|hunter|login|value|string|valid|strong|weak|short|long)[a-z_-]*\\d{1,4}[^a-z0-9_]?)");
    private static final int MIN_STRONG = 20;
    private static final int MIN_RANDOM = 16;
    private static final int MIN_DIGITS = 3;
    private static final int MIN_PASSWORD = 8;
    private static final int MAX_PASSWORD = 256;
    private static final int MAX_BASIC = 512; // within a value that is none
    private static final int MIN_KEY = 12;
    private static final int AWS_ID = 20;
    private static final byte[] KINDS = new byte[128];

    static {
        for (char c = 0; c < KINDS.length; c++) {
            KINDS[c] = (byte) (Character.isDigit(c) ? -1 : Character.isLetter(c) ? 1 : 0);
        }
    }

    /** The checks by the names that {@code forms.txt} gives them. */
    static final Map<String, Check> CHECKS = Map.ofEntries(
            Map.entry("key", ofKey(Plausible::isKey)),
            Map.entry("random", ofKey(Plausible::isRandom)),
            Map.entry("mixed", ofKey(Plausible::isMixed)),
            Map.entry("strong", ofKey(Plausible::isStrong)),
            Map.entry("credential", new Check(Plausible::isCredential, NO_EXAMPLE, 1, 0, Integer.MAX_VALUE)),
            Map.entry("password", new Check(Plausible::isPassword, NO_EXAMPLE, 1, 0, Integer.MAX_VALUE)),
            Map.entry("bare-password", new Check(Plausible::isBarePassword, NO_EXAMPLE, 1, 0, MAX_PASSWORD)),
            Map.entry("basic", new Check(Plausible::isBasic, List.of(), 0, 0, MAX_BASIC)),
            Map.entry("cookie", Check.of(Plausible::isCookie)),
            Map.entry("jwt", Check.of(Plausible::isJwt)),
            Map.entry("pem", Check.of(Plausible::isPem)),
            Map.entry("aws", Check.of(Plausible::isAws)),
            Map.entry("no-example", new Check(Plausible::isNoPlaceholder, NO_EXAMPLE, 0, 0, Integer.MAX_VALUE)),
            Map.entry("no-call", Check.of(value -> !isCall(value))),
            Map.entry("no-path", Check.of(value -> !value.startsWith("/"))),
            Map.entry(
                    "no-address",
                    new Check(
                            value -> !value.contains("://"),
                            List.of(new LazyDfa(RegexParser.parse("(?s:.*)://"))),
                            0,
                            0,
                            Integer.MAX_VALUE)));

    private Plausible() {}

    private static Check ofKey(Predicate<String> test) {
        return new Check(test, NO_EXAMPLE, MIN_DIGITS, MIN_DIGITS, Integer.MAX_VALUE);
    }

    /** A password: letters and digits, and no example; no word of an exercise with a number behind it. */
    static boolean isPassword(String value) {
        return value.length() >= MIN_PASSWORD && has(value, 1, 2, 0) && !PLAIN.matches(value) && !isExample(value);
    }

    /** A key or a token: as random as these are, in which digits stand among letters. */
    static boolean isKey(String value) {
        return value.length() >= MIN_KEY && has(value, MIN_DIGITS, MIN_DIGITS, MIN_DIGITS) && !isExample(value);
    }

    /** A key that no context tells: longer, too. */
    static boolean isRandom(String value) {
        return value.length() >= MIN_RANDOM && isKey(value);
    }

    /** A key in which capitals, small letters and digits stand: no identifier, and no number in hexadecimal digits. */
    static boolean isMixed(String value) {
        return isKey(value)
                && value.chars().anyMatch(Character::isUpperCase)
                && value.chars().anyMatch(Character::isLowerCase);
    }

    /** A secret that stands without quotes behind a name in small letters, where code has identifiers and logs have ids. */
    static boolean isStrong(String value) {
        return ((value.length() >= MIN_STRONG && isMixed(value)) || (value.length() >= 2 * MIN_RANDOM && isKey(value)))
                && !value.startsWith("0x");
    }

    /** A name of code with points in it, such as that of a function in a module. */
    static boolean isCall(String value) {
        return CALL.matches(value);
    }

    /**
     * A password without quotes: no identifier, path or call of code, and nothing that numbers the words of an exercise.
     */
    static boolean isBarePassword(String value) {
        return isPassword(value)
                && value.length() <= MAX_PASSWORD
                && !NAME.matches(value)
                && !value.startsWith("/")
                && !value.startsWith("~")
                && !value.startsWith("0x");
    }

    /** Credentials that a person or a program sends. */
    static boolean isCredential(String value) {
        return has(value, 1, 2, 0) && !isExample(value);
    }

    /** A password of an address: neither an example nor the word for it. */
    static boolean isNoPlaceholder(String value) {
        return !isExample(value)
                && !List.of("password", "passwd", "pass", "secret").contains(value);
    }

    static boolean isExample(String value) {
        return (value.startsWith("$") && !value.startsWith("$2")) || EXAMPLE.matches(value);
    }

    /** The id of a key of AWS, or the key itself. */
    static boolean isAws(String value) {
        return value.length() == AWS_ID || isMixed(value);
    }

    /** A name and a password in base64. */
    static boolean isBasic(String value) {
        try {
            String plain = value.replace('-', '+')
                    .replace('_', '/')
                    .replace("\\/", "/")
                    .replace("%2B", "+")
                    .replace("%2F", "/")
                    .replace("%3D", "=")
                    .replace("%3d", "=");
            byte[] bytes = Base64.getDecoder().decode(plain);
            String text = new String(bytes, StandardCharsets.UTF_8);
            return text.indexOf(':') >= 0 && text.chars().noneMatch(c -> (c < ' ') || (c == 0xFFFD));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** A signed or encrypted token of JSON, or so much of it that it was cut. */
    static boolean isJwt(String value) {
        long dots = value.chars().filter(c -> c == '.').count();
        return dots >= 2 || value.contains(".eyJ") || value.length() > 1 << 12;
    }

    /** Holds at least a line of a key. */
    static boolean isPem(String value) {
        int run = 0;
        int digits = 0;
        for (int i = value.indexOf("KEY") + 3; i < value.length(); i++) {
            char c = value.charAt(i);
            boolean isDigit = Base64Runs.isDigit(c) && c != '-';
            run = isDigit ? run + 1 : 0;
            digits = !isDigit ? 0 : Character.isDigit(c) ? digits + 1 : digits;
            if (run >= 2 * MIN_RANDOM && digits > 0) {
                return true;
            }
        }
        return false;
    }

    /** Cookies of which one is long and random. */
    static boolean isCookie(String value) {
        return Stream.of(COOKIES.split(value)).anyMatch(Plausible::isRandom);
    }

    /** Returns whether it has so many digits and letters, and so often a digit behind a letter or a letter behind a digit. */
    private static boolean has(String value, int digits, int letters, int changes) {
        int missingDigits = digits;
        int missingLetters = letters;
        int missingChanges = changes;
        int before = 0;
        for (int i = 0; i < value.length(); i++) {
            int kind = kind(value.charAt(i));
            missingDigits -= kind < 0 ? 1 : 0;
            missingLetters -= kind > 0 ? 1 : 0;
            missingChanges -= kind * before < 0 ? 1 : 0;
            if (missingDigits <= 0 && missingLetters <= 0 && missingChanges <= 0) {
                return true;
            }
            before = kind;
        }
        return false;
    }

    /** Below 0 for a digit, above for a letter. */
    static int kind(char c) {
        if (c < KINDS.length) {
            return KINDS[c];
        }
        return Character.isDigit(c) ? -1 : Character.isLetter(c) ? 1 : 0;
    }
}
