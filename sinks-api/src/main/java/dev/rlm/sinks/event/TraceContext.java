package dev.rlm.sinks.event;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Context that one process hands to another so that their work is found together: the parent's span and the names that
 * travel with it, as W3C Trace Context and W3C Baggage write them.
 *
 * <p>It comes from outside, so nothing in it is trusted and nothing in it is an error: what is not valid is left out, and
 * what is longer than the specifications ask anybody to pass on is cut at whole entries.
 *
 * @param traceparent the parent's trace, span and flags; {@code null} where there is none
 * @param tracestate what tracing systems add to it, at most 512 characters; {@code null} where there is none
 * @param baggage names and values of the users' own, at most 8,192 characters; {@code null} where there are none
 */
public record TraceContext(
        @Recorded(id = true) @Nullable String traceparent,
        @Recorded(id = true) @Nullable String tracestate,
        @Nullable String baggage) {
    /** The entry of the baggage that tells the run that hands it down. */
    public static final String RUN_ID = "rlm.run_id";

    /** The entry that tells the rollout that this run is of, where it is of one. */
    public static final String ROLLOUT_ID = "rlm.rollout_id";

    /** Nothing known. */
    public static final TraceContext NONE = new TraceContext(null, null, null);

    private static final String TRACEPARENT = "traceparent";
    private static final String TRACESTATE = "tracestate";
    private static final String BAGGAGE = "baggage";

    private static final Pattern PARENT =
            Pattern.compile("(?!ff)([0-9a-f]{2})(-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?");
    private static final byte[] DIGITS = digits();
    private static final String VERSION = "00";
    private static final int TRACE = 3; // where each part begins
    private static final int SPAN = TRACE + 32 + 1;
    private static final int FLAGS = SPAN + 16 + 1;

    public TraceContext {
        traceparent = traceparent == null ? null : valid(traceparent.strip());
        tracestate = traceparent == null || tracestate == null ? null : Tracestate.valid(tracestate);
        baggage = baggage == null ? null : Baggage.of(baggage).header();
    }

    /** Returns whether it is valid and of this version, as nearly all are, without the cost of an expression. */
    private static boolean isPlain(String text) {
        return text.length() == FLAGS + 2
                && text.startsWith("00-")
                && text.charAt(SPAN - 1) == '-'
                && text.charAt(FLAGS - 1) == '-'
                && isId(text, TRACE, SPAN - 1)
                && isId(text, SPAN, FLAGS - 1)
                && isHex(text.charAt(FLAGS))
                && isHex(text.charAt(FLAGS + 1));
    }

    private static boolean isId(String text, int from, int to) {
        int bits = 0;
        for (int i = from; i < to; i++) {
            bits |= digit(text.charAt(i));
        }
        return bits > 0;
    }

    private static boolean isHex(char character) {
        return digit(character) >= 0;
    }

    /**
     * Its value, or -1: by a table, since no processor foresees which digit of an id is a letter. A fifth of the time
     * that comparisons take, for every step that is made current.
     */
    private static int digit(char character) {
        return character < DIGITS.length ? DIGITS[character] : -1;
    }

    private static byte[] digits() {
        byte[] values = new byte[128];
        for (char c = 0; c < values.length; c++) {
            values[c] = (byte) (Character.isUpperCase(c) ? -1 : Character.digit(c, 16));
        }
        return values;
    }

    /** A later version is read as far as this one goes, and handed on as this one. */
    private static @Nullable String valid(String traceparent) {
        if (isPlain(traceparent)) {
            return traceparent;
        }
        Matcher parts = PARENT.matcher(traceparent);
        if (!parts.matches() || (parts.group(1).equals(VERSION) && parts.group(4) != null)) {
            return null;
        }
        if (parts.group(1).equals(VERSION)) {
            return traceparent;
        }
        int sampled = Integer.parseInt(parts.group(3), 16) & 1;
        return VERSION + parts.group(2) + "-0" + sampled;
    }

    /**
     * Takes it out of a map: the headers of a request, the metadata of a message, or the environment of a process
     * ({@code System.getenv()}). Names count in any case.
     */
    public static TraceContext from(Map<String, String> carrier) {
        return new TraceContext(find(carrier, TRACEPARENT), find(carrier, TRACESTATE), find(carrier, BAGGAGE));
    }

    private static @Nullable String find(Map<String, String> carrier, String name) {
        String exact = carrier.get(name);
        String upper = exact == null ? carrier.get(name.toUpperCase(Locale.ROOT)) : exact;
        if (upper != null) {
            return upper;
        }
        return carrier.entrySet().stream()
                .filter(entry -> name.equalsIgnoreCase(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    /** For the headers of a request or the metadata of a message: what is known, under names in small letters. */
    public Map<String, String> toMap() {
        Map<String, String> map = new LinkedHashMap<>();
        put(map, TRACEPARENT, traceparent);
        put(map, TRACESTATE, tracestate);
        put(map, BAGGAGE, baggage);
        return map;
    }

    private static void put(Map<String, String> map, String name, @Nullable String value) {
        if (value != null) {
            map.put(name, value);
        }
    }

    /**
     * For the environment of a child process: {@code TRACEPARENT}, {@code TRACESTATE} and {@code BAGGAGE}. All three,
     * empty where nothing is known, so that none is left that this process has inherited itself.
     *
     * <pre>{@code
     * ProcessBuilder builder = new ProcessBuilder(command);
     * run.traceContext().ifPresent(context -> builder.environment().putAll(context.toEnvironment()));
     * }</pre>
     */
    public Map<String, String> toEnvironment() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("TRACEPARENT", traceparent == null ? "" : traceparent);
        map.put("TRACESTATE", tracestate == null ? "" : tracestate);
        map.put("BAGGAGE", baggage == null ? "" : baggage);
        return map;
    }

    /** Returns the id of the parent's trace, 32 hexadecimal digits; {@code null} without a parent. */
    public @Nullable String traceId() {
        return traceparent == null ? null : traceparent.substring(TRACE, SPAN - 1);
    }

    /** Returns the id of the parent's span, 16 hexadecimal digits; {@code null} without a parent. */
    public @Nullable String spanId() {
        return traceparent == null ? null : traceparent.substring(SPAN, FLAGS - 1);
    }

    /** Returns whether the parent is sampled: it may be sent to where traces are kept. */
    public boolean isSampled() {
        return traceparent != null && (digit(traceparent.charAt(FLAGS + 1)) & 1) == 1;
    }

    /** The value of an entry of the baggage, as it is meant. */
    public Optional<String> baggageEntry(String name) {
        return baggage == null ? Optional.empty() : Baggage.of(baggage).value(name);
    }

    /**
     * The same with an entry of the baggage set. It comes first, and entries at the end give way where there is too
     * little room; one that is too long by itself is left out.
     *
     * @param value any text; it is encoded as the specification says
     */
    public TraceContext withBaggageEntry(String name, String value) {
        Baggage known = Baggage.of(baggage == null ? "" : baggage);
        return new TraceContext(traceparent, tracestate, known.with(name, value).header());
    }

    /**
     * The same as a run hands it down to what it calls: with its ids in the baggage, in the place of an outer run's.
     *
     * @param rollout that the run is of; {@code null} for none
     */
    public TraceContext withRun(String runId, @Nullable String rollout) {
        Baggage known = Baggage.of(baggage == null ? "" : baggage).without(ROLLOUT_ID);
        Baggage told = rollout == null ? known : known.with(ROLLOUT_ID, rollout);
        return new TraceContext(
                traceparent, tracestate, told.with(RUN_ID, runId).header());
    }

    /** The same with other baggage; {@code null} for none. */
    public TraceContext withBaggage(@Nullable String value) {
        return new TraceContext(traceparent, tracestate, value);
    }

    /** The same with its foreign text, which is all but the ids, passed through the function: such as a redaction. */
    public TraceContext map(UnaryOperator<String> text) {
        return new TraceContext(
                traceparent,
                tracestate == null ? null : text.apply(tracestate),
                baggage == null ? null : Baggage.of(baggage).map(text).header());
    }

    /** Returns whether nothing is known. */
    public boolean isEmpty() {
        return traceparent == null && baggage == null;
    }
}
