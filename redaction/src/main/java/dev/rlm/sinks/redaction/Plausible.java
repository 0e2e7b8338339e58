package dev.rlm.sinks.redaction;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Judges whether a value that stands where secrets do is one, and no name, no variable and no example of one. */
final class Plausible {
    private static final List<String> EXAMPLES = List.of(
            "your",
            "example",
            "changeme",
            "change-me",
            "change_me",
            "placeholder",
            "xxxx",
            "****",
            "....",
            "dummy",
            "redacted",
            "<",
            ">",
            "{",
            "}",
            "$(",
            "%s",
            "insert",
            "replace",
            "process.env",
            "environ",
            "getenv");
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
    private static final int MIN_KEY = 12;
    private static final int AWS_ID = 20;

    private Plausible() {}

    /** A password: letters and digits, and no example; no word of an exercise with a number behind it. */
    static boolean isPassword(String value) {
        return value.length() >= MIN_PASSWORD
                && count(value, true) >= 1
                && count(value, false) >= 2
                && !PLAIN.matches(value)
                && !isExample(value);
    }

    /** A key or a token: as random as these are, in which digits stand among letters. */
    static boolean isKey(String value) {
        return value.length() >= MIN_KEY && changes(value) >= MIN_DIGITS && !isExample(value) && hasBoth(value);
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
        return count(value, true) >= 1 && count(value, false) >= 2 && !isExample(value);
    }

    /** A password of an address: neither an example nor the word for it. */
    static boolean isNoPlaceholder(String value) {
        return !isExample(value)
                && !List.of("password", "passwd", "pass", "secret").contains(value);
    }

    static boolean isExample(String value) {
        String small = value.toLowerCase(Locale.ROOT);
        return (value.startsWith("$") && !value.startsWith("$2")) || holdsExample(small);
    }

    private static boolean holdsExample(String small) {
        for (String example : EXAMPLES) {
            if (small.contains(example)) {
                return true;
            }
        }
        return false;
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

    private static long count(String value, boolean digits) {
        long count = 0;
        for (int i = 0; i < value.length(); i++) {
            int kind = kind(value.charAt(i));
            count += kind == (digits ? -1 : 1) ? 1 : 0;
        }
        return count;
    }

    /** Counts how often a digit follows a letter or a letter a digit. */
    private static int changes(String value) {
        int changes = 0;
        for (int i = 1; i < value.length(); i++) {
            if (kind(value.charAt(i)) * kind(value.charAt(i - 1)) < 0) {
                changes++;
            }
        }
        return changes;
    }

    private static int kind(char c) {
        return Character.isDigit(c) ? -1 : Character.isLetter(c) ? 1 : 0;
    }

    private static boolean hasBoth(String value) {
        return count(value, true) >= MIN_DIGITS && count(value, false) >= MIN_DIGITS;
    }
}
