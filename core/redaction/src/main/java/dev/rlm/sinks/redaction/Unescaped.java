package dev.rlm.sinks.redaction;

import dev.rlm.sinks.redaction.regex.Escapes;
import dev.rlm.sinks.redaction.regex.SearchDeadline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A text as it is meant where escapes stand in it that a secret is seldom written with: colours of terminals, characters
 * without width, those that HTML, mail, addresses or strings write by their number, and lines that mail breaks. It knows
 * where each of its characters stands in the text.
 */
final class Unescaped {
    private static final String WIDTHLESS = "\u200B\u200C\u200D\u2060\uFEFF";
    private static final char ESC = 27;
    private static final int HEX = 16;
    private static final int MIN_LINE = 66; // of mail, with the sign that it goes on
    private static final int MAX_LINE = 76;
    private static final int MAX_ENTITY = 10;
    private static final int MAX_SEQUENCE = 32;
    private static final int CHECKED = 1 << 12; // characters between two looks at the clock
    private static final String SPECIAL = ESC + "&=%\\" + WIDTHLESS;

    private static final Map<String, String> ENTITIES =
            Map.of("quot", "\"", "apos", "'", "amp", "&", "lt", "<", "gt", ">", "nbsp", " ");

    private final String text;
    private final TextPlaces places;

    private Unescaped(String text, TextPlaces places) {
        this.text = text;
        this.places = places;
    }

    String text() {
        return text;
    }

    /** Adds what escapes begin with, so that a text without them costs nothing more. */
    static void addTo(Keywords.Builder keywords) {
        Lead lead = (search, from, to) -> search.escaped();
        Stream.of(
                        "&#x",
                        "&quot;",
                        "&apos;",
                        "&amp;",
                        "&lt;",
                        "&nbsp;",
                        "=3D",
                        "%24",
                        "%22",
                        "%40",
                        "%3A",
                        "%3D",
                        "%7B",
                        "%7E",
                        ESC + "[m",
                        ESC + "[K",
                        ESC + "(B")
                .forEach(word -> keywords.addExactly(word, lead));
        Lead broken = (search, from, to) -> {
            if (isBroken(search.text(), from + 1)) {
                search.escaped();
            }
        };
        for (char c : "abcdefghijklmnopqrstuvwxyz0123456789-_.+/\":, ".toCharArray()) {
            keywords.add(c + "=\n", broken);
            keywords.add(c + "=\r\n", broken);
        }
        for (int digit = 0; digit < HEX; digit++) {
            String hex = Integer.toHexString(digit);
            keywords.add("\\x" + hex, lead);
            if (digit < 10) {
                keywords.addExactly("&#" + digit, lead);
                keywords.addExactly(ESC + "[" + digit, lead);
            }
            if (digit > 0 && digit < 8) {
                keywords.addExactly("\\u00" + digit, lead);
            }
            for (char high : "34567".toCharArray()) {
                keywords.add("%" + high + hex, (search, from, to) -> {
                    if (search.text().startsWith("%", to) && isAlphanumericAt(search.text(), from)) {
                        search.escaped();
                    }
                });
            }
        }
    }

    private static boolean isAlphanumericAt(String text, int percent) {
        return Escapes.isAlphanumeric(number(text, percent + 1, percent + 3));
    }

    /** Returns how the text is meant if that may tell more than itself, else null. */
    static @Nullable Unescaped of(Search search) {
        String text = search.text();
        return search.isEscaped() || hasWidthless(text) ? new Builder(text).build(search) : null;
    }

    private static boolean hasWidthless(String text) {
        for (int i = 0; i < WIDTHLESS.length(); i++) {
            if (text.indexOf(WIDTHLESS.charAt(i), 1) > 0) { // known at once where all are of Latin-1
                return true;
            }
        }
        return false;
    }

    /** Returns whether mail breaks a line with the sign that stands there. */
    private static boolean isBroken(String text, int sign) {
        if (!text.startsWith("\n", sign + 1) && !text.startsWith("\r\n", sign + 1)) {
            return false;
        }
        int line = sign - text.lastIndexOf('\n', sign);
        return line >= MIN_LINE && line <= MAX_LINE;
    }

    /**
     * Returns occurrences of keywords in this text, in the order in which they end: those across a change, and of the others,
     * which are known, those whose lead may come to something else than before.
     */
    List<Occurrence> occurrences(Search before, Keywords keywords) {
        List<Occurrence> all = new ArrayList<>();
        for (Occurrence known : before.occurrences()) {
            int from = places.index(known.from(), known.to());
            if (from >= 0 && (known.reachesFar() || places.isChanged(from - Occurrence.NEAR, from + Occurrence.NEAR))) {
                all.add(new Occurrence(known.lead(), from, from + known.to() - known.from()));
            }
        }
        int[] changes = places.changes();
        for (int i = 0, from = 0; i < changes.length; i++) {
            from = i == 0 || changes[i] - keywords.longest() > changes[i - 1] ? changes[i] - keywords.longest() : from;
            if (i + 1 == changes.length || changes[i + 1] - keywords.longest() > changes[i]) {
                addChanged(
                        keywords, Math.max(0, from), Math.min(text.length(), changes[i] + 1), before.deadline(), all);
            }
        }
        all.sort(Comparator.comparingInt(Occurrence::to).thenComparingInt(Occurrence::from));
        return all;
    }

    private void addChanged(Keywords keywords, int begin, int end, SearchDeadline deadline, List<Occurrence> all) {
        keywords.scan(text, begin, end, deadline, (lead, from, to) -> {
            if (from < end && places.isChanged(from, to)) {
                all.add(new Occurrence(lead, from, to));
            }
        });
    }

    /** Returns the finding as it stands in the text that this is made of. */
    FoundSecret place(FoundSecret found) {
        return new FoundSecret(
                places.from(found.from()), places.to(found.to() - 1), found.kind(), found.rank(), found.secret());
    }

    /** The number that hexadecimal digits are, -1 where others stand. */
    private static int number(String text, int from, int to) {
        return to <= text.length() && Escapes.isHex(text, from, to) ? Integer.parseInt(text, from, to, HEX) : -1;
    }

    /** Reads a text once. */
    private static final class Builder {
        private final String text;
        private final char[] plain; // which is no longer than the text
        private int length;
        private final int[] specials = new int[SPECIAL.length()];
        private final TextPlaces places = new TextPlaces();

        Builder(String text) {
            this.text = text;
            this.plain = new char[text.length()];
            Arrays.fill(specials, -1);
        }

        Unescaped build(Search search) {
            int at = 0;
            int checked = 0;
            while (at < text.length()) {
                if (at >= checked) {
                    search.deadline().check();
                    checked = at + CHECKED;
                }
                int special = special(at);
                text.getChars(at, special, plain, length);
                length += special - at;
                at = special < text.length() ? next(special) : special;
            }
            return new Unescaped(new String(plain, 0, length), places);
        }

        /**
         * Returns where the next special character stands. Each kind is searched again only once its last find is
         * passed.
         */
        private int special(int from) {
            int nearest = text.length();
            for (int i = 0; i < SPECIAL.length(); i++) {
                if (specials[i] < from) {
                    int at = text.indexOf(SPECIAL.charAt(i), from);
                    specials[i] = at < 0 ? text.length() : at;
                }
                nearest = Math.min(nearest, specials[i]);
            }
            return nearest;
        }

        private int next(int at) {
            int before = length;
            int end = next(at, text.charAt(at));
            if (length == before) {
                places.add(length, end, 0);
            }
            return end;
        }

        /** Takes what stands there, and returns where it ends. */
        private int next(int at, char c) {
            return switch (c) {
                case ESC -> sequence(at);
                case '&' -> entity(at);
                case '=' -> mail(at);
                case '%' -> take(at, at + 3, number(text, at + 1, at + 3));
                case '\\' -> slashed(at);
                default -> WIDTHLESS.indexOf(c) >= 0 ? at + 1 : take(at, at + 1, c);
            };
        }

        private int take(int from, int to, int c) {
            if (to > from + 1 && (c < ' ' || c > '~')) {
                return take(from, from + 1, text.charAt(from)); // it is no escape of a character of ASCII
            }
            if (to > from + 1) {
                places.add(length, from, to - from);
                places.add(length + 1, to, 0);
            }
            plain[length++] = (char) c;
            return to;
        }

        private int sequence(int at) {
            if (text.startsWith("(", at + 1) || text.startsWith(")", at + 1)) {
                return Math.min(text.length(), at + 3);
            }
            int end = at + 2;
            while (end < text.length() && end - at < MAX_SEQUENCE && text.charAt(end) < '@') {
                end++;
            }
            return text.startsWith("[", at + 1) ? Math.min(text.length(), end + 1) : take(at, at + 1, ESC);
        }

        private int entity(int at) {
            int end = at + 1;
            while (end < text.length() && end - at < MAX_ENTITY && text.charAt(end) != ';') {
                end++;
            }
            if (!text.startsWith(";", end)) {
                return take(at, at + 1, '&');
            }
            String name = text.substring(at + 1, end);
            String meant = ENTITIES.get(name);
            return take(at, end + 1, meant != null ? meant.charAt(0) : entityNumber(name));
        }

        private static int entityNumber(String name) {
            try {
                return name.startsWith("#x") || name.startsWith("#X")
                        ? Integer.parseInt(name.substring(2), HEX)
                        : name.startsWith("#") ? Integer.parseInt(name.substring(1)) : -1;
            } catch (NumberFormatException e) {
                return -1;
            }
        }

        private int mail(int at) {
            if (isBroken(text, at)) {
                return text.indexOf('\n', at) + 1;
            }
            boolean capitals = at + 3 <= text.length()
                    && text.charAt(at + 1) < 'a'
                    && text.charAt(at + 2) < 'a'; // as mail has them
            int c = capitals ? number(text, at + 1, at + 3) : -1;
            return take(at, at + 3, Escapes.isAlphanumeric(c) ? -1 : c); // letters and digits mail leaves as they are
        }

        /** A character by its number; a terminal's escape with what follows it. */
        private int slashed(int at) {
            int end = at;
            while (end < text.length() && text.charAt(end) == '\\') {
                end++;
            }
            int digits = text.startsWith("u", end) ? 4 : text.startsWith("x", end) ? 2 : 0;
            int c = digits == 0 ? -1 : number(text, end + 1, end + 1 + digits);
            if (c == ESC && text.startsWith("[", end + 1 + digits)) {
                return sequence(end + digits);
            }
            return take(at, end + 1 + digits, digits == 0 ? -1 : c);
        }
    }

    /** Places of the characters in the text that they are made of, noted where one does not stand right behind the last. */
    private static final class TextPlaces {
        private static final int FACTS = 3; // index, place, width of an escape or 0

        private int[] facts = new int[FACTS * 16];
        private int end;

        void add(int index, int place, int width) {
            if (end == facts.length) {
                facts = Arrays.copyOf(facts, 2 * end);
            }
            facts[end++] = index;
            facts[end++] = place;
            facts[end++] = width;
        }

        /** Returns where characters are changed or left out before, in order. */
        int[] changes() {
            return IntStream.range(0, end / FACTS)
                    .map(fact -> facts[fact * FACTS])
                    .toArray();
        }

        /** Returns whether one is from the index on, and before the other. */
        boolean isChanged(int from, int to) {
            int fact = before(to - 1);
            return fact >= 0 && facts[fact] >= from;
        }

        /** Returns the index of the character at that place if all up to the other are the same, too; else -1. */
        int index(int from, int to) {
            int low = 0;
            int high = end / FACTS;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (facts[middle * FACTS + 1] <= from) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            int index = low == 0 ? from : facts[(low - 1) * FACTS] + from - facts[(low - 1) * FACTS + 1];
            return from(index) == from && from(index + to - from - 1) == to - 1 ? index : -1;
        }

        int from(int index) {
            int fact = before(index);
            return fact < 0 ? index : facts[fact + 1] + index - facts[fact];
        }

        int to(int index) {
            int fact = before(index);
            int width = fact < 0 ? 0 : facts[fact + 2];
            return from(index) + (width == 0 ? 1 : width);
        }

        /** Returns the last that is noted up to the index; below 0 for none. */
        private int before(int index) {
            int low = 0;
            int high = end / FACTS;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (facts[middle * FACTS] <= index) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return (low - 1) * FACTS;
        }
    }
}
