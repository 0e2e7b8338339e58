package dev.rlm.runs.exchange.input;

import dev.rlm.journal.RunSummary;
import dev.rlm.json.Json;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Times of a transcript's messages: those that it tells, and made-up ones for the rest.
 *
 * @param start of the run
 * @param messages one for each
 * @param starts of what gave each of them, where a message tells it
 * @param end of the run
 * @param mark the run's {@link RunSummary#TIMES_TAG} if no message tells its time; else {@code null}
 */
public record Times(
        Instant start,
        List<Instant> messages,
        List<@Nullable Instant> starts,
        Instant end,
        @Nullable String mark) {
    private static final String EXPECTED =
            "times such as \"2026-03-01T10:20:30Z\" or seconds since 1970, one for each message";
    private static final String TIMESTAMPS = "timestamps";

    /** The field of a message that tells when it came. */
    public static final String TIME = "timestamp";

    /** The field of a message that tells when the model was asked for it, or the tool was called. */
    public static final String STARTED = "started_at";

    private static final List<String> STARTS = List.of(STARTED, "start");
    private static final List<String> ENDS = List.of("finished_at", "ended_at", "end");

    /** The fields of a line that tell its start and its end. */
    public static final List<String> BOUNDS =
            Stream.concat(STARTS.stream(), ENDS.stream()).toList();

    private static final BigDecimal MILLIS_FROM = BigDecimal.valueOf(100_000_000_000L);
    private static final int NANO_DIGITS = 9;

    public Times {
        messages = Collections.unmodifiableList(messages);
    }

    /** As a line tells them; what it does not tell follows from the rest, or from the given time. */
    public static Times of(JsonObject line, List<JsonObject> messages, Instant now) throws BadRecordException {
        boolean isList = line.get(TIMESTAMPS).isArray();
        JsonObject bounds = isList ? line : line.object(TIMESTAMPS);
        List<@Nullable Instant> known = known(bounds.list(isList ? TIMESTAMPS : "messages"), messages);
        Instant start = first(STARTS, line, bounds);
        Instant end = first(ENDS, line, bounds);
        boolean bounded = start != null && end != null;
        boolean told = messages.isEmpty() ? bounded : !known.stream().allMatch(Objects::isNull);
        String mark = told ? null : bounded ? RunSummary.MADE_UP_WITHIN : RunSummary.MADE_UP;
        Instant from = Stream.concat(Stream.ofNullable(start), known.stream().filter(Objects::nonNull))
                .findFirst()
                .orElse(now);
        return complete(known, told(messages, STARTED), from, end, mark);
    }

    private static List<@Nullable Instant> known(List<JsonNode> given, List<JsonObject> messages)
            throws BadRecordException {
        if (!given.isEmpty() && given.size() != messages.size()) {
            throw new BadRecordException(EXPECTED + ", found " + given.size() + " for " + messages.size());
        }
        List<@Nullable Instant> known = new ArrayList<>();
        for (JsonNode time : given) {
            known.add(time(time));
        }
        return given.isEmpty() ? told(messages, TIME) : known;
    }

    private static List<@Nullable Instant> told(List<JsonObject> messages, String name) throws BadRecordException {
        List<@Nullable Instant> told = new ArrayList<>();
        for (JsonObject message : messages) {
            told.add(time(message.get(name)));
        }
        return told;
    }

    /** Made-up times are a millisecond apart; where the end is known they lie evenly before it. */
    private static Times complete(
            List<@Nullable Instant> known,
            List<@Nullable Instant> starts,
            Instant start,
            @Nullable Instant end,
            @Nullable String mark) {
        List<Instant> messages = new ArrayList<>();
        long gap = end == null || known.isEmpty() ? 1_000_000 : start.until(end, ChronoUnit.NANOS) / known.size();
        Instant last = start;
        for (Instant time : known) {
            Instant next = time != null ? time : mark != null ? last.plusNanos(Math.max(0, gap)) : last;
            last = next.isBefore(last) ? last : next;
            messages.add(last);
        }
        return new Times(start, messages, starts, end == null || end.isBefore(last) ? last : end, mark);
    }

    private static @Nullable Instant first(List<String> names, JsonObject line, JsonObject bounds)
            throws BadRecordException {
        Instant ofLine = first(names, line);
        Instant ofBounds = first(names, bounds);
        return ofLine == null ? ofBounds : ofLine;
    }

    private static @Nullable Instant first(List<String> names, JsonObject object) throws BadRecordException {
        for (String name : names) {
            if (object.has(name)) {
                return time(object.get(name));
            }
        }
        return null;
    }

    /** A time as people and programs write it; without an offset it is UTC's. */
    public static @Nullable Instant time(JsonNode value) throws BadRecordException {
        try {
            if (value.isNull() || value.isMissingNode()) {
                return null;
            } else if (value.isNumber()) {
                return sinceEpoch(new BigDecimal(value.asString()));
            } else if (value.isString()) {
                return text(value.asString().strip().replace(' ', 'T'));
            }
        } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
            // said below
        }
        throw new BadRecordException(EXPECTED + ", found " + Json.values(value));
    }

    private static Instant text(String text) {
        boolean hasOffset =
                text.endsWith("Z") || text.lastIndexOf('+') > 0 || text.lastIndexOf('-') > text.indexOf('T');
        return hasOffset
                ? OffsetDateTime.parse(text).toInstant()
                : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
    }

    /** Seconds, or thousandths, millionths or billionths of them: which, tells the size. */
    private static Instant sinceEpoch(BigDecimal number) {
        int digits = NANO_DIGITS;
        for (BigDecimal limit = MILLIS_FROM; number.abs().compareTo(limit) >= 0 && digits > 0; digits -= 3) {
            limit = limit.movePointRight(3);
        }
        BigDecimal nanos = number.movePointRight(digits);
        BigDecimal[] parts = nanos.divideAndRemainder(BigDecimal.valueOf(1_000_000_000));
        return Instant.ofEpochSecond(parts[0].longValueExact(), parts[1].longValue());
    }

    /** Returns when the model was asked for that message, or the tool called: where that is not told, the time of the one before. */
    public Instant asked(int message) {
        Instant before = message == 0 ? start : messages.get(message - 1);
        Instant told = starts.isEmpty() ? null : starts.get(message);
        return told == null || told.isBefore(before) ? before : told;
    }
}
