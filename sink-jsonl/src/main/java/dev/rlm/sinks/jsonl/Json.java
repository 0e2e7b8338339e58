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
    private static final DateTimeFormatter NINE_DIGITS =
            new DateTimeFormatterBuilder().appendInstant(9).toFormatter();
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

    /** A second since the epoch, and what times in it begin with, the point included. */
    private record Second(long number, String text) {
        static Second of(long number) {
            String text = NINE_DIGITS.format(Instant.ofEpochSecond(number));
            return new Second(number, text.substring(0, text.indexOf('.') + 1));
        }
    }
}
