package dev.rlm.sinks.jsonl;

import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** The journal's dialect of JSON: what reading and writing have in common. */
final class Json {
    private static final int NANO_DIGITS = 9;
    private static final int NONE = -1;
    private static final DateTimeFormatter NINE_DIGITS =
            new DateTimeFormatterBuilder().appendInstant(NANO_DIGITS).toFormatter();
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private static volatile Second lastSecond = Second.of(0);

    private Json() {}

    static JsonParser parser(byte[] bytes, int from, int length) {
        return FACTORY.createParser(ObjectReadContext.empty(), bytes, from, length);
    }

    /** The time in UTC up to its decimal point. Formatting is slow, and most times lie in the same second as the last. */
    static String second(Instant time) {
        Second second = lastSecond;
        if (second.number() != time.getEpochSecond()) {
            second = Second.of(time.getEpochSecond());
            lastSecond = second;
        }
        return second.text();
    }

    /** The time that a text of that form tells, or any other of ISO 8601 in UTC: reading is as slow as formatting. */
    static Instant time(String text) {
        Second second = lastSecond;
        int nanos = text.startsWith(second.text()) ? nanos(text, second.text().length()) : NONE;
        if (nanos != NONE) {
            return Instant.ofEpochSecond(second.number(), nanos);
        }
        Instant time = Instant.parse(text);
        lastSecond = Second.of(time.getEpochSecond());
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

    /** A second since the epoch, and what times in it begin with, the point included. */
    private record Second(long number, String text) {
        static Second of(long number) {
            String text = NINE_DIGITS.format(Instant.ofEpochSecond(number));
            return new Second(number, text.substring(0, text.indexOf('.') + 1));
        }
    }
}
