package dev.rlm.sinks.redaction;

import dev.rlm.sinks.redaction.regex.Escapes;
import java.util.List;
import java.util.Locale;

/** Judges by what stands around a keyword whether it may lead to a secret there. */
final class Places {
    private static final int MAX_NAME = 24;
    private static final int MAX_SIGNS = 12;
    private static final int MIN_VALUE = 8;
    private static final int ESCAPE = 3; // characters of one in an address
    private static final List<String> CURSORS = List.of(
            "page",
            "next",
            "prev",
            "cursor",
            "continu",
            "sync",
            "resum",
            "scroll",
            "pad",
            "eos",
            "bos",
            "design",
            "public",
            "publishable",
            "csrf",
            "xsrf",
            "request",
            "idempoten");
    private static final List<String> BEFORE_PASS =
            List.of("db", "ssh", "smtp", "mail", "pg", "root", "user", "admin", "my", "http");

    private Places() {}

    /** Returns whether something long follows the name and a few signs: tells in little time what is worth more. */
    static boolean isAssigned(String text, int keyword) {
        int at = keyword;
        while (at < text.length() && at - keyword < MAX_NAME && isNamePart(text.charAt(at))) {
            at++;
        }
        if (isValueAt(text, at)) {
            return true; // in an element or a line of its own
        }
        int signs = 0;
        while (at < text.length() && signs < MAX_SIGNS && " \t\r\n:=\"'`\\]%+->|!?".indexOf(text.charAt(at)) >= 0) {
            at += text.charAt(at) == '%' ? ESCAPE : 1;
            signs++;
        }
        int end = at;
        while (signs > 0
                && end < text.length()
                && end - at < MIN_VALUE
                && " \t\n\"',;&<>(){}".indexOf(text.charAt(end)) < 0) {
            end++;
        }
        return end - at == MIN_VALUE;
    }

    private static boolean isValueAt(String text, int index) {
        for (int at = index + 1; at <= index + MAX_NAME; at++) {
            if (text.startsWith("value", at)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the name before the keyword does not say that it leads on in a list, or stands in a vocabulary. */
    static boolean isNoCursor(String text, int keyword) {
        int from = keyword;
        while (from > 0 && keyword - from < MAX_NAME && isNamePart(text.charAt(from - 1))) {
            from--;
        }
        if (from == keyword) {
            return true;
        }
        String name = text.substring(from, keyword).toLowerCase(Locale.ROOT);
        for (String cursor : CURSORS) {
            if (name.contains(cursor)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isNamePart(char c) {
        return Escapes.isAlphanumeric(c) || c == '_' || c == '-';
    }

    /** Returns whether a name ends there in <em>pass</em>: none that bypasses, and no compass. */
    static boolean isPass(String text, int keyword) {
        return keyword == 0
                || !Character.isLetter(text.charAt(keyword - 1))
                || Escapes.isStartOfWord(text, keyword)
                || (Character.isUpperCase(text.charAt(keyword)) && Character.isLowerCase(text.charAt(keyword - 1)))
                || BEFORE_PASS.stream()
                        .anyMatch(name -> text.regionMatches(true, keyword - name.length(), name, 0, name.length()));
    }

    /** Returns whether no letter or digit stands right before the keyword. */
    static boolean isApart(String text, int keyword) {
        return keyword == 0 || !Escapes.isAlphanumeric(text.charAt(keyword - 1));
    }
}
