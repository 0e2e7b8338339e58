package dev.rlm.sinks.redaction;

import dev.rlm.sinks.redaction.regex.Escapes;
import java.util.Set;

/**
 * The number of a payment card: of a network's length and first digits, with Luhn's check digit; without separators, or in
 * the groups that are printed on cards, with spaces or hyphens between them.
 */
final class CardNumber {
    private static final Set<String> PRINTED = Set.of("4444", "465", "464", "44443");
    private static final int MIN_DIGITS = 14;
    private static final int MAX_DIGITS = 19;
    private static final int GROUP = 4;

    private CardNumber() {}

    /** Returns where the number ends that begins at that digit; -1 if none does. */
    static int end(String text, int from) {
        int end = PersonalNumbers.endOfDigits(text, from);
        int length = end - from;
        if ((length != GROUP && (length < MIN_DIGITS || length > MAX_DIGITS)) || !mayBeginAt(text, from)) {
            return -1;
        } else if (length == GROUP) {
            return end < text.length() ? endOfGroups(text, from, end, text.charAt(end)) : -1;
        }
        return isCard(text.substring(from, end)) && PersonalNumbers.mayEndAt(text, end) ? end : -1;
    }

    private static boolean mayBeginAt(String text, int from) {
        return Escapes.isStartOfWord(text, from) && (from == 0 || ".+".indexOf(text.charAt(from - 1)) < 0);
    }

    /** Returns where the last group ends that makes a card; four more digits behind or before it are a table's. */
    private static int endOfGroups(String text, int from, int first, char separator) {
        if ((separator != ' ' && separator != '-') || isGroupBefore(text, from, separator)) {
            return -1;
        }
        StringBuilder digits = new StringBuilder(text.substring(from, first));
        StringBuilder form = new StringBuilder().append(GROUP);
        int found = -1;
        int end = first;
        while (digits.length() < MAX_DIGITS && isSeparated(text, end, separator)) {
            int next = PersonalNumbers.endOfDigits(text, end + 1);
            digits.append(text, end + 1, next);
            form.append(next - end - 1);
            end = next;
            if (PRINTED.contains(form.toString()) && isCard(digits.toString()) && mayEndAt(text, end, separator)) {
                found = end;
            }
        }
        return found;
    }

    private static boolean isSeparated(String text, int end, char separator) {
        return end < text.length() && text.charAt(end) == separator && PersonalNumbers.isDigitAt(text, end + 1);
    }

    private static boolean isGroupBefore(String text, int from, char separator) {
        int group = from - 1 - GROUP;
        return group >= 0
                && text.charAt(from - 1) == separator
                && PersonalNumbers.endOfDigits(text, group) == from - 1
                && !PersonalNumbers.isDigitAt(text, group - 1);
    }

    private static boolean mayEndAt(String text, int end, char separator) {
        boolean isGroupBehind =
                isSeparated(text, end, separator) && PersonalNumbers.endOfDigits(text, end + 1) == end + 1 + GROUP;
        return PersonalNumbers.mayEndAt(text, end) && !isGroupBehind;
    }

    private static boolean isCard(String digits) {
        return isIssued(digits) && isChecked(digits);
    }

    /** Returns whether a network gives out numbers of that length that begin so. */
    private static boolean isIssued(String digits) {
        int four = Integer.parseInt(digits.substring(0, GROUP));
        int two = four / 100;
        boolean visa = two / 10 == 4;
        boolean mastercard = (two >= 51 && two <= 55) || (four >= 2221 && four <= 2720);
        boolean discover = four == 6011 || two == 65 || (four >= 6440 && four <= 6499);
        boolean unionPay = two == 62;
        boolean jcb = four >= 3528 && four <= 3589;
        boolean diners = (four >= 3000 && four <= 3059) || two == 36 || two == 38 || two == 39;
        return switch (digits.length()) {
            case MIN_DIGITS -> diners;
            case 15 -> two == 34 || two == 37; // American Express
            case 16 -> visa || mastercard || discover || unionPay || jcb;
            case MAX_DIGITS -> visa || unionPay;
            default -> false;
        };
    }

    /** Luhn's sum: every second digit from the right, but for the last, counts twice. */
    private static boolean isChecked(String digits) {
        int sum = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(digits.length() - 1 - i) - '0';
            int doubled = i % 2 == 0 ? digit : 2 * digit;
            sum += doubled > 9 ? doubled - 9 : doubled;
        }
        return sum % 10 == 0;
    }
}
