package dev.rlm.runs.search;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Longest text that stands in every match of a regular expression, as far as its outermost parts tell: what groups hold is not
 * looked at. Where it does not know better there is none, and that is never wrong.
 */
final class RequiredLiteral {
    private static final Pattern REPETITION = Pattern.compile("\\{\\d+(?:,\\d*)?\\}");
    private static final String CHARACTER_CLASSES = "dDwWsSbBAzntrfva";
    private static final Pattern OTHER_CASES =
            Pattern.compile("[kKsS[^\\x00-\\x7F]]"); // signs beyond ASCII are cases of k and s

    private final String regex;
    private final List<String> literals = new ArrayList<>();
    private final StringBuilder current = new StringBuilder();
    private int at;

    private RequiredLiteral(String regex) {
        this.regex = regex;
    }

    static String of(String regex) {
        RequiredLiteral literal = new RequiredLiteral(regex);
        return regex.contains("\\Q") || !literal.read() ? "" : longest(literal.literals);
    }

    /** Returns the longest part of a text whose capital and small letters are of ASCII. */
    static String withoutOtherCases(String literal) {
        return longest(List.of(OTHER_CASES.split(literal)));
    }

    private static String longest(List<String> texts) {
        String longest = "";
        for (String text : texts) {
            longest = text.length() > longest.length() ? text : longest;
        }
        return longest;
    }

    /** Returns whether it was understood. */
    private boolean read() {
        while (at < regex.length()) {
            Integer literal = null;
            int point = regex.codePointAt(at);
            at += Character.charCount(point);
            switch (point) {
                case '|' -> {
                    return false;
                }
                case '(' -> at = regex.startsWith("?", at) && !regex.startsWith("?:", at) ? -1 : groupEnd(at);
                case '[' -> at = classEnd(at);
                case '\\' -> {
                    literal = escaped();
                    at = literal == null && !isClass() ? -1 : at + 1;
                }
                case '.', '^', '$', '*', '+', '?', '{', '}', ')' -> {}
                default -> literal = point;
            }
            if (at < 0 || at > regex.length()) {
                return false;
            }
            take(literal);
        }
        end();
        return true;
    }

    /** Returns the character that stands for itself behind a backslash; {@code null} for none. */
    private @Nullable Integer escaped() {
        boolean isSign = at < regex.length() && regex.charAt(at) < 0x80 && !Character.isLetterOrDigit(regex.charAt(at));
        return isSign ? Integer.valueOf(regex.charAt(at)) : null;
    }

    private boolean isClass() {
        return at < regex.length() && CHARACTER_CLASSES.indexOf(regex.charAt(at)) >= 0;
    }

    /** Takes a part, and goes behind how often it comes. */
    private void take(@Nullable Integer literal) {
        var repetition = REPETITION.matcher(regex).region(at, regex.length());
        boolean again = at < regex.length() && "*+?".indexOf(regex.charAt(at)) >= 0;
        boolean counted = repetition.lookingAt();
        boolean always = !counted && (!again || regex.charAt(at) == '+');
        if (literal != null && always) {
            current.appendCodePoint(literal);
        }
        if (literal == null || again || counted) {
            end();
        }
        at = counted ? repetition.end() : again ? at + 1 : at;
    }

    private void end() {
        literals.add(current.toString());
        current.setLength(0);
    }

    /** Returns the place behind a group that has begun; negative where it does not end. */
    private int groupEnd(int from) {
        int depth = 1;
        int i = from;
        while (i >= 0 && i < regex.length() && depth > 0) {
            char c = regex.charAt(i++);
            switch (c) {
                case '(' -> depth++;
                case ')' -> depth--;
                case '\\' -> i++;
                case '[' -> i = classEnd(i);
                default -> {}
            }
        }
        return depth == 0 ? i : -1;
    }

    private int classEnd(int from) {
        int i = regex.startsWith("^", from) ? from + 1 : from;
        i = regex.startsWith("]", i) ? i + 1 : i;
        while (i < regex.length() && regex.charAt(i) != ']') {
            boolean named = regex.startsWith("[:", i) && regex.indexOf(":]", i) > 0;
            i = named ? regex.indexOf(":]", i) + 2 : i + (regex.charAt(i) == '\\' ? 2 : 1);
        }
        return i < regex.length() ? i + 1 : -1;
    }
}
