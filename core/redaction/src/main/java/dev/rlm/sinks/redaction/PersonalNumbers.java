package dev.rlm.sinks.redaction;

import dev.rlm.sinks.redaction.regex.Escapes;
import java.util.Set;

/**
 * The numbers among {@link PersonalData}: told by where they may begin, a digit, a plus sign or a capital letter, and not by
 * keywords, which would be too many and too short for {@link Keywords}. Immutable; safe for use by several threads.
 */
final class PersonalNumbers {
    private static final int CHECKED = 1 << 16; // characters between two looks at the clock
    private static final int ASCII = 128;
    private static final int NONE = -1;

    private final boolean[] beginnings = new boolean[ASCII]; // of what is wanted
    private final boolean isNeeded;

    PersonalNumbers(Set<PersonalData> wanted) {
        for (char c = 0; c < ASCII; c++) {
            beginnings[c] = (isDigit(c) && wanted.contains(PersonalData.CARD))
                    || (c == '+' && wanted.contains(PersonalData.PHONE))
                    || (isCapital(c) && wanted.contains(PersonalData.IBAN));
        }
        isNeeded = wanted.stream().anyMatch(data -> data != PersonalData.EMAIL);
    }

    /** Looks for them from the beginning of the text to its end, once. */
    void find(Search search) {
        String text = search.text();
        for (int from = 0; isNeeded && from < text.length(); ) {
            search.deadline().check();
            from = find(search, text, from, Math.min(text.length(), from + CHECKED));
        }
    }

    /** Looks at what begins before an index, and returns where to go on. */
    private int find(Search search, String text, int from, int to) {
        int i = from;
        while (i < to) {
            char c = text.charAt(i);
            i = c < ASCII && beginnings[c] ? next(search, text, i, c) : i + 1;
        }
        return i;
    }

    private static int next(Search search, String text, int from, char first) {
        PersonalData kind = isDigit(first) ? PersonalData.CARD : first == '+' ? PersonalData.PHONE : PersonalData.IBAN;
        int end = switch (kind) {
            case CARD -> CardNumber.end(text, from);
            case PHONE -> PhoneNumber.end(text, from);
            default -> BankAccountNumber.end(text, from);
        };
        if (end == NONE) {
            return Math.max(from + 1, endOfDigits(text, from));
        }
        search.found(new FoundSecret(from, end, kind.kind(), FoundSecret.Rank.FORMAT, plain(text, from, end)));
        return end;
    }

    /** The number without what separates its digits, so that equal ones are equal however they are written. */
    private static String plain(String text, int from, int to) {
        StringBuilder plain = new StringBuilder();
        for (int i = from; i < to; i++) {
            if (Escapes.isAlphanumeric(text.charAt(i))) {
                plain.append(text.charAt(i));
            }
        }
        return plain.toString();
    }

    static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    static boolean isCapital(char c) {
        return c >= 'A' && c <= 'Z';
    }

    static boolean isDigitAt(String text, int index) {
        return index >= 0 && index < text.length() && isDigit(text.charAt(index));
    }

    static int endOfDigits(String text, int from) {
        int end = from;
        while (isDigitAt(text, end)) {
            end++;
        }
        return end;
    }

    /** Returns whether no word, fraction or larger number goes on there. */
    static boolean mayEndAt(String text, int end) {
        if (end == text.length()) {
            return true;
        }
        char after = text.charAt(end);
        boolean goesOn = ".-:".indexOf(after) >= 0
                && end + 1 < text.length()
                && Escapes.isAlphanumeric(text.charAt(end + 1))
                && (after != '.' || isDigitAt(text, end + 1)); // a sentence may end without a space behind it
        return !Escapes.isAlphanumeric(after) && after != '_' && !goesOn;
    }
}
