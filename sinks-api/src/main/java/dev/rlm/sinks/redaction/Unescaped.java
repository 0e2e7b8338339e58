package dev.rlm.sinks.redaction;

import java.util.Map;
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
    private static final Map<String, String> ENTITIES =
            Map.of("quot", "\"", "apos", "'", "amp", "&", "lt", "<", "gt", ">", "nbsp", " ");

    private final String text;
    private final int[] starts; // by character
    private final int[] ends;

    private Unescaped(String text, int[] starts, int[] ends) {
        this.text = text;
        this.starts = starts;
        this.ends = ends;
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
        for (char c : "abcdefghijklmnopqrstuvwxyz0123456789-_.+/\":, ".toCharArray()) { // a line that mail breaks
            keywords.add(c + "=\n", lead);
            keywords.add(c + "=\r\n", lead);
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

    /** The finding as it stands in the text that this is made of. */
    Finding place(Finding found) {
        return new Finding(starts[found.from()], ends[found.to() - 1], found.kind(), found.rank(), found.secret());
    }

    /** The number that hexadecimal digits are, -1 where others stand. */
    private static int number(String text, int from, int to) {
        return to <= text.length() && Escapes.isHex(text, from, to) ? Integer.parseInt(text, from, to, HEX) : -1;
    }

    /** Reads a text once. */
    private static final class Builder {
        private final String text;
        private final StringBuilder plain;
        private final int[] starts;
        private final int[] ends;

        Builder(String text) {
            this.text = text;
            this.plain = new StringBuilder(text.length());
            this.starts = new int[text.length()];
            this.ends = new int[text.length()];
        }

        Unescaped build(Search search) {
            int at = 0;
            while (at < text.length()) {
                if ((at & 0xFFF) == 0) {
                    search.deadline().check();
                }
                at = next(at, text.charAt(at));
            }
            return new Unescaped(plain.toString(), starts, ends);
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
            starts[plain.length()] = from;
            ends[plain.length()] = to;
            plain.append((char) c);
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
            int end = text.indexOf(';', at);
            if (end < 0 || end - at > MAX_ENTITY) {
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
            int line = at - text.lastIndexOf('\n', at);
            boolean broken = text.startsWith("\n", at + 1) || text.startsWith("\r\n", at + 1);
            if (broken && line >= MIN_LINE && line <= MAX_LINE) {
                return text.indexOf('\n', at) + 1;
            }
            boolean capitals = at + 3 <= text.length()
                    && text.substring(at + 1, at + 3).chars().noneMatch(Character::isLowerCase);
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
}
