package dev.rlm.sinks.redaction;

import java.util.Set;

/**
 * The numbers among {@link PersonalData}: told by where they may begin, a digit, a plus sign or a capital letter, and not by
 * keywords, which would be too many and too short for {@link Keywords}. Immutable; safe for use by several threads.
 */
final class PersonalNumbers {
    private static final int CHECKED = 1 << 16; // characters between two looks at the clock
    private static final int NONE = -1;

    private final boolean phones;
    private final boolean cards;
    private final boolean ibans;

    PersonalNumbers(Set<PersonalData> wanted) {
        phones = wanted.contains(PersonalData.PHONE);
        cards = wanted.contains(PersonalData.CARD);
        ibans = wanted.contains(PersonalData.IBAN);
    }

    /** Looks for them from the beginning of the text to its end, once. */
    void find(Search search) {
        if (!phones && !cards && !ibans) {
            return;
        }
        String text = search.text();
        int checked = 0;
        for (int i = 0; i < text.length(); ) {
            if (i >= checked) {
                search.deadline().check();
                checked = i + CHECKED;
            }
            i = next(search, text, i);
        }
    }

    /** Looks at one character, and returns where to look next. */
    private int next(Search search, String text, int from) {
        char c = text.charAt(from);
        PersonalData kind = null;
        int end = NONE;
        if (isDigit(c)) {
            kind = PersonalData.CARD;
            end = cards ? CardNumber.end(text, from) : NONE;
        } else if (c == '+' && phones) {
            kind = PersonalData.PHONE;
            end = PhoneNumber.end(text, from);
        } else if (c >= 'A' && c <= 'Z' && ibans) {
            kind = PersonalData.IBAN;
            end = BankAccountNumber.end(text, from);
        }
        if (kind == null || end == NONE) {
            return isDigit(c) ? endOfDigits(text, from) : from + 1;
        }
        String plain = plain(text, from, end);
        search.found(new Finding(from, end, kind.kind(), Finding.Rank.FORMAT, plain));
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

    /** Whether no word, fraction or larger number goes on there. */
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
