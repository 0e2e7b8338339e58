package dev.rlm.sinks.redaction;

import dev.rlm.sinks.redaction.regex.Escapes;
import java.util.HashMap;
import java.util.Map;

/**
 * An international bank account number (IBAN): of its country's length, with its two check digits; without separators, or in
 * groups of four with a space between them.
 */
final class BankAccountNumber {
    private static final String COUNTRIES =
            "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 "
                    + "CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 "
                    + "HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 "
                    + "MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 "
                    + "SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30";
    private static final Map<String, Integer> LENGTHS = lengths();
    private static final int GROUP = 4;
    private static final int CHECKED = 97;

    private BankAccountNumber() {}

    private static Map<String, Integer> lengths() {
        Map<String, Integer> lengths = new HashMap<>();
        for (String country : COUNTRIES.split(" ", -1)) {
            lengths.put(country.substring(0, 2), Integer.valueOf(country.substring(2)));
        }
        return lengths;
    }

    /** Returns where the number ends that begins at that capital letter; -1 if none does. */
    static int end(String text, int from) {
        if (!PersonalNumbers.isDigitAt(text, from + 2)
                || !PersonalNumbers.isDigitAt(text, from + 3)
                || !Escapes.isStartOfWord(text, from)) {
            return -1;
        }
        Integer length = LENGTHS.get(text.substring(from, from + 2));
        if (length == null) {
            return -1;
        }
        boolean isGrouped = text.startsWith(" ", from + GROUP);
        StringBuilder number = new StringBuilder();
        int end = from;
        while (end < text.length() && number.length() < length && isPart(text.charAt(end))) {
            number.append(text.charAt(end++));
            boolean isEndOfGroup = isGrouped && number.length() % GROUP == 0 && number.length() < length;
            if (isEndOfGroup && !text.startsWith(" ", end++)) {
                return -1;
            }
        }
        return number.length() == length && isChecked(number.toString()) && PersonalNumbers.mayEndAt(text, end)
                ? end
                : -1;
    }

    private static boolean isPart(char c) {
        return PersonalNumbers.isDigit(c) || PersonalNumbers.isCapital(c);
    }

    /** Returns whether it leaves 1 modulo 97, with its first four characters last and letters as 10 to 35. */
    private static boolean isChecked(String number) {
        int rest = 0;
        for (int i = 0; i < number.length(); i++) {
            int value = Character.digit(number.charAt((i + GROUP) % number.length()), Character.MAX_RADIX);
            rest = (rest * (value > 9 ? 100 : 10) + value) % CHECKED;
        }
        return rest == 1;
    }
}
