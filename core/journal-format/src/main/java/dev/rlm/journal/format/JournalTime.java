package dev.rlm.journal.format;

import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/**
 * Times in the journal's form, in UTC with nine digits. Formatting and parsing are slow, and most times lie in the same second
 * as the last, which is remembered. For any thread.
 */
public final class JournalTime {
    private static final int NANO_DIGITS = 9;
    private static final int NONE = -1;
    private static final DateTimeFormatter NINE_DIGITS =
            new DateTimeFormatterBuilder().appendInstant(NANO_DIGITS).toFormatter();

    private static volatile JournalTime last = new JournalTime(0);

    private final long second; // since the epoch
    private final String text; // with which times in it begin, the point included

    private JournalTime(long second) {
        String whole = NINE_DIGITS.format(Instant.ofEpochSecond(second));
        this.second = second;
        this.text = whole.substring(0, whole.indexOf('.') + 1);
    }

    /** The time up to its decimal point. */
    public static String second(Instant time) {
        JournalTime known = last;
        if (known.second != time.getEpochSecond()) {
            known = new JournalTime(time.getEpochSecond());
            last = known;
        }
        return known.text;
    }

    /** The time that a text of that form tells, or any other of ISO 8601 in UTC. */
    public static Instant parse(String text) {
        JournalTime known = last;
        int nanos = text.startsWith(known.text) ? nanos(text, known.text.length()) : NONE;
        if (nanos != NONE) {
            return Instant.ofEpochSecond(known.second, nanos);
        }
        Instant time = Instant.parse(text);
        last = new JournalTime(time.getEpochSecond());
        return time;
    }

    /** The nine digits that are the rest of the text but for its zone; negative where it ends in another way. */
    private static int nanos(String text, int from) {
        int end = from + NANO_DIGITS;
        if (text.length() != end + 1 || text.charAt(end) != 'Z') {
            return NONE;
        }
        int nanos = 0;
        for (int i = from; i < end; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return NONE;
            }
            nanos = nanos * 10 + digit;
        }
        return nanos;
    }
}
