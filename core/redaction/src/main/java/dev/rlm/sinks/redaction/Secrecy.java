package dev.rlm.sinks.redaction;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Tells what of a variable is secret, going by its name, and which values can be told from ordinary text. */
final class Secrecy {
    private static final Pattern SECRET_NAME =
            Pattern.compile("SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|TOKEN|APIKEY|(^|_)KEYS?(_|$)|KEY$"
                    + "|_PWD$|(^|_)PAT$|(^|_)AUTH$|COOKIE$|SALT$");
    private static final Pattern HEADERS_NAME = Pattern.compile("_HEADERS$");
    private static final Set<String> SWITCHES = Set.of("true", "false", "enabled", "disabled");
    private static final int MIN_LENGTH = 6;
    private static final int MIN_DIGITS = 10;
    private static final int MAX_PIECE = 1 << 11; // well within what is not kept of a text next to a cut

    private Secrecy() {}

    /** The secrets in the value of a variable. */
    static Set<String> secrets(String name, String value) {
        Set<String> secrets = new LinkedHashSet<>();
        String upper = name.toUpperCase(Locale.ROOT);
        if (SECRET_NAME.matcher(upper).find()) {
            secrets.add(value);
        } else if (HEADERS_NAME.matcher(upper).find()) {
            for (String header : value.split(",", -1)) {
                addHeader(header.substring(header.indexOf('=') + 1), secrets);
            }
        }
        return secrets;
    }

    /** As it is written, as it is meant, and the credential behind a scheme such as {@code Bearer}. */
    private static void addHeader(String value, Set<String> secrets) {
        secrets.add(value);
        String meant = decoded(value).strip();
        secrets.add(meant);
        secrets.add(meant.substring(meant.lastIndexOf(' ') + 1));
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return value; // a bare per cent sign: it is meant as it is written
        }
    }

    /** Returns whether the value is not so short or common that ordinary text has it. */
    static boolean isDistinct(String value) {
        return value.length() >= MIN_LENGTH && !SWITCHES.contains(value.toLowerCase(Locale.ROOT)) && !isNumber(value);
    }

    private static boolean isNumber(String text) {
        return text.length() < MIN_DIGITS && text.chars().allMatch(c -> Character.isDigit(c) || c == '.' || c == '-');
    }

    /** A long secret may be in two where a long text is cut: each of its pieces is a secret then. */
    static List<String> pieces(String secret) {
        int count = (secret.length() + MAX_PIECE - 1) / MAX_PIECE;
        return count == 1
                ? List.of()
                : IntStream.range(0, count)
                        .mapToObj(i -> secret.substring((int) ((long) secret.length() * i / count), (int)
                                ((long) secret.length() * (i + 1) / count)))
                        .toList();
    }
}
