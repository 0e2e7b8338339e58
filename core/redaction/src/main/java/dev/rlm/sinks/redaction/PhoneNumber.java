package dev.rlm.sinks.redaction;

import dev.rlm.sinks.redaction.regex.Escapes;

/**
 * An international telephone number: a plus sign with the country's code right behind it, and 9 to 15 digits in all; in
 * groups, or without separators where the plus sign is no operator and no mark of a changed line.
 */
final class PhoneNumber {
    private static final int MIN_DIGITS = 9;
    private static final int MIN_UNSEPARATED = 10;
    private static final int MAX_DIGITS = 15;
    private static final int OF_ONE_DIGITS_CODE = 11; // North America's, with the code 1, and the code 7's

    private PhoneNumber() {}

    /** Returns where the number ends that begins at that plus sign; -1 if none does. */
    static int end(String text, int from) {
        if (!PersonalNumbers.isDigitAt(text, from + 1) || !mayBeginAt(text, from)) {
            return -1;
        }
        StringBuilder digits = new StringBuilder();
        int first = 0; // digits of the first group
        int dots = 0;
        int found = -1;
        int begin = from + 1;
        while (begin > 0) {
            int end = PersonalNumbers.endOfDigits(text, begin);
            if (digits.length() + end - begin > MAX_DIGITS) {
                break;
            }
            digits.append(text, begin, end);
            first = first == 0 ? digits.length() : first;
            begin = nextGroup(text, end);
            boolean isWhole = digits.length() == first;
            if (dots != 1
                    && (isWhole ? isUnseparated(text, from, digits) : isNumber(digits, first))
                    && (begin > 0 || PersonalNumbers.mayEndAt(text, end))) {
                found = end;
            }
            dots += end < text.length() && text.charAt(end) == '.' ? 1 : 0;
        }
        return found;
    }

    /** Returns whether the plus sign adds nothing: no word and no number stands before it. */
    private static boolean mayBeginAt(String text, int from) {
        if (!Escapes.isStartOfWord(text, from) || (from > 0 && "+.)%]".indexOf(text.charAt(from - 1)) >= 0)) {
            return false;
        }
        int before = from - 1;
        while (before >= 0 && text.charAt(before) == ' ') {
            before--;
        }
        return !PersonalNumbers.isDigitAt(text, before);
    }

    private static boolean isUnseparated(String text, int from, CharSequence digits) {
        boolean isChangedLine = from > 0 && text.charAt(from - 1) == '\n';
        return digits.length() >= MIN_UNSEPARATED && !isChangedLine && isNumber(digits, digits.length());
    }

    /** Returns whether the digits may be a country's code and a number there. */
    private static boolean isNumber(CharSequence digits, int first) {
        char one = digits.charAt(0);
        if (one == '1') {
            return digits.length() == OF_ONE_DIGITS_CODE && digits.charAt(1) >= '2' && digits.charAt(4) >= '2';
        } else if (one == '7') {
            return digits.length() == OF_ONE_DIGITS_CODE;
        }
        boolean isUnassigned = one == '0' || "28 83 89".contains(digits.subSequence(0, 2));
        return first >= 2 && digits.length() >= MIN_DIGITS && !isUnassigned;
    }

    /** Returns where the digits go on behind a separator; 0 where they do not. */
    private static int nextGroup(String text, int end) {
        int next = end;
        while (next < text.length() && next - end < 3 && isSeparator(text, next, end)) {
            next++;
        }
        return next > end && PersonalNumbers.isDigitAt(text, next) ? next : 0;
    }

    /** A space, a hyphen, a dot, a slash or a bracket, none of them twice. */
    private static boolean isSeparator(String text, int index, int from) {
        char c = text.charAt(index);
        return " -./()".indexOf(c) >= 0 && (index == from || text.charAt(index - 1) != c);
    }
}
