package dev.rlm.sinks.event;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The header {@code baggage} of W3C Baggage: a list of names and values of the users' own.
 *
 * @param entries those that are valid, as far as there is room for them
 */
record Baggage(List<Entry> entries) {
    private static final int MAX_LENGTH = 8_192;
    private static final int MAX_ENTRIES = 180;

    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
    private static final String VALUE = "[\\x21\\x23-\\x2b\\x2d-\\x3a\\x3c-\\x5b\\x5d-\\x7e]*";
    private static final String BLANK = "[ \\t]*";
    private static final Pattern ENTRY =
            Pattern.compile(BLANK + "(" + TOKEN + ")" + BLANK + "=" + BLANK + "(" + VALUE + ")" + BLANK + "(;[^,]*)?");
    private static final Pattern PROPERTY =
            Pattern.compile(BLANK + TOKEN + BLANK + "(=" + BLANK + VALUE + BLANK + ")?");

    Baggage {
        entries = List.copyOf(entries);
    }

    /** The entries of the header that are valid; the others are passed over. */
    static Baggage of(String header) {
        List<Entry> entries = new ArrayList<>();
        int length = 0;
        for (String part : header.split(",", -1)) {
            Entry entry = entry(part);
            if (entry != null) {
                length += entry.text().length() + 1;
                if (length > MAX_LENGTH + 1 || entries.size() == MAX_ENTRIES) {
                    break;
                }
                entries.add(entry);
            }
        }
        return new Baggage(entries);
    }

    private static @Nullable Entry entry(String part) {
        if (part.length() > MAX_LENGTH) {
            return null;
        }
        Matcher matcher = ENTRY.matcher(part);
        if (!matcher.matches()) {
            return null;
        }
        String properties = matcher.group(3) == null ? "" : matcher.group(3).strip();
        return areValid(properties) ? new Entry(matcher.group(1), matcher.group(2), properties) : null;
    }

    private static boolean areValid(String properties) {
        return properties.isEmpty()
                || Stream.of(properties.substring(1).split(";", -1))
                        .allMatch(property -> PROPERTY.matcher(property).matches());
    }

    /** The entries as they are written; {@code null} where there are none. */
    @Nullable
    String header() {
        return entries.isEmpty()
                ? null
                : String.join(",", entries.stream().map(Entry::text).toList());
    }

    Optional<String> value(String name) {
        return entries.stream()
                .filter(entry -> entry.name().equals(name))
                .map(entry -> decoded(entry.value()))
                .findFirst();
    }

    /**
     * Returns the baggage with an entry set, in the first place. It may be too long: {@link TraceContext} cuts it at
     * the end.
     */
    Baggage with(String name, String value) {
        List<Entry> all = new ArrayList<>();
        Entry added = new Entry(name, encoded(value), "");
        if (added.text().length() <= MAX_LENGTH) {
            all.add(added);
        }
        all.addAll(without(name).entries);
        return new Baggage(all);
    }

    Baggage without(String name) {
        return new Baggage(
                entries.stream().filter(entry -> !entry.name().equals(name)).toList());
    }

    /** With all text passed through the function, values as they are meant; a name that is none afterwards goes. */
    Baggage map(UnaryOperator<String> text) {
        return new Baggage(entries.stream()
                .map(entry -> {
                    String meant = decoded(entry.value());
                    String mapped = text.apply(meant);
                    String value = mapped.equals(meant) ? entry.value() : encoded(mapped);
                    return new Entry(text.apply(entry.name()), value, text.apply(entry.properties()));
                })
                .toList());
    }

    private static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return value; // a bare per cent sign: it is meant as it is written
        }
    }

    /**
     * One of them.
     *
     * @param value as it is written, with per cent signs
     * @param properties what is said of it, as it is written, with its semicolons; empty for nothing
     */
    record Entry(String name, String value, String properties) {
        String text() {
            return name + "=" + value + properties;
        }
    }
}
