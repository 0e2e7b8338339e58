package dev.rlm.sinks.redaction;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Surroundings in which secrets stand in what agents read and write. */
@SuppressWarnings("ImmutableEnumChecker") // a function of constants
enum Surrounding {
    COLOUR(text -> "\u001B[32m" + text + "\u001B[0m"),
    BOLD_AND_CLEARED(text -> "\u001B[01;31m\u001B[K" + text + "\u001B[m\u001B[K"),
    CHARACTER_SET(text -> "\u001B(B" + text + "\u001B(B"),
    COLOUR_IN_JSON(text -> "\\u001b[32m" + text + "\\u001b[0m"),
    COLOUR_IN_JSON_IN_JSON(text -> "\\\\u001b[1;32m" + text + "\\\\u001b[0m"),
    COLOUR_IN_A_STRING(text -> "\\x1b[32m" + text + "\\x1b[0m"),
    COLOUR_OF_A_SHELL(text -> "\\033[0;33m" + text + "\\033[0m"),
    COLOUR_WITHOUT_ITS_INTRODUCER(text -> "[32m" + text + "[0m"),
    BYTE_OF_A_STRING(text -> "\\x20" + text + "\\x20"),
    OCTAL_BYTE(text -> "\\012" + text + "\\012"),
    LINE_OF_A_STRING(text -> "\\n" + text + "\\n"),
    MAIL(text -> "a=3D" + text + "=20"),
    ADDRESS(text -> "a%2520" + text + "%20"),
    REMOVED_LINE(text -> "\n-" + text + "\n"),
    ADDED_LINE(text -> "\n+" + text + "\n"),
    EMPHASIS(text -> "__" + text + "** "),
    CODE(text -> "`" + text + "`"),
    QUOTED(text -> "'" + text + "'"),
    QUOTED_TWICE(text -> "\\\"" + text + "\\\""),
    BRACKETS(text -> "([" + text + "])"),
    ELEMENT(text -> "<b>" + text + "</b>"),
    ENTITIES(text -> "&quot;" + text + "&quot;"),
    NUMBERED_ENTITIES(text -> "&#39;" + text + "&#39;"),
    TABLE(text -> "| " + text + " | 1 |"),
    CSV(text -> "1," + text + ",2"),
    SENTENCE(text -> "It is " + text + ", as you see."),
    ASSIGNED(text -> "X=" + text + " Y=1"),
    TABS(text -> "\t" + text + "\t"),
    WINDOWS(text -> "a\r\n" + text + "\r\nb"),
    NO_BREAK_SPACE(text -> "\u00A0" + text + "\u00A0"),
    CHINESE(text -> "密钥是" + text + "。"),
    EMOJI(text -> "🔑" + text + "🔑"),
    BYTE_ORDER_MARK(text -> "\uFEFF" + text);

    private final UnaryOperator<String> around;

    Surrounding(UnaryOperator<String> around) {
        this.around = around;
    }

    String of(String text) {
        return around.apply(text);
    }

    /** How a secret is broken up itself by what shows or sends it. */
    static List<String> broken(String secret) {
        int middle = secret.length() / 2;
        String before = secret.substring(0, middle);
        String after = secret.substring(middle);
        List<String> all = new ArrayList<>();
        all.add("\u001B[01;31m\u001B[K" + before + "\u001B[m\u001B[K" + after);
        all.add(before + "\u200B" + after);
        all.add(numbers(secret, "&#%d;"));
        all.add(numbers(secret, "&#x%x;"));
        all.add(numbers(secret, "%%%02X"));
        all.add(numbers(secret, "\\x%02x"));
        all.add(numbers(secret, "\\u%04x"));
        return all;
    }

    /** As mail breaks its lines. */
    static String mail(String text) {
        return text.replace("=", "=3D").replaceAll("((?:=3D|[^\n=]){66})(?=[^\n])", "$1=\n");
    }

    private static String numbers(String text, String format) {
        StringBuilder numbers = new StringBuilder();
        text.chars().forEach(c -> numbers.append(String.format(format, c)));
        return numbers.toString();
    }
}
