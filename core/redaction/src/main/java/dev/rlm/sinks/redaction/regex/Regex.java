package dev.rlm.sinks.redaction.regex;

import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A regular expression as a value: equal ones match the same. Its {@linkplain #derivative derivative} is what is left to match
 * behind a symbol (Brzozowski), so that derivatives are the states of a {@link LazyDfa}; counted repetitions count down in them
 * and are never written out, and groups and preferences, which a {@link GroupFinder} needs, are gone. Symbols are the characters
 * of ASCII, one for all others, and the text's end.
 */
public sealed interface Regex {
    int OTHER = 128; // a character beyond ASCII
    int LONG_S = 129; // which is an s in either case
    int KELVIN = 130; // which is a k
    int END = 131; // of the text
    int SYMBOLS = 132;
    int UNBOUNDED = -1;
    int WIDE = 24; // times that something may be there that need not be there at all

    Regex NOTHING = new Choice(Set.of());
    Regex EMPTY = new Repetition(NOTHING, 0, 0, false);

    static int symbol(char c) {
        return c < OTHER ? c : c == '\u017F' ? LONG_S : c == '\u212A' ? KELVIN : OTHER;
    }

    /** Returns whether it matches where nothing is left. */
    boolean isNullable();

    Regex derivative(int symbol);

    /**
     * Returns one that matches what this does, and more: without groups, and without the most of what may be repeated very often,
     * so that derivatives need not tell how often it was.
     */
    Regex relaxed();

    /** Returns how many characters a symbol takes there, behind which others may stand. */
    static int width(String text, int index) {
        return Character.isHighSurrogate(text.charAt(index))
                        && index + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(index + 1))
                ? 2
                : 1;
    }

    /** One of these symbols. */
    record Symbols(BitSet symbols) implements Regex {
        @Override
        public boolean isNullable() {
            return false;
        }

        @Override
        public Regex derivative(int symbol) {
            return symbols.get(symbol) ? EMPTY : NOTHING;
        }

        @Override
        public Regex relaxed() {
            return this;
        }
    }

    /**
     * One of these symbols behind the match, which ends before it.
     *
     * @param isBoundary whether a word has to end or begin there, too
     */
    record Ahead(Symbols symbols, boolean isBoundary) implements Regex {
        @Override
        public boolean isNullable() {
            return false;
        }

        @Override
        public Regex derivative(int symbol) {
            return symbols.derivative(symbol);
        }

        @Override
        public Regex relaxed() {
            return this;
        }
    }

    /** Part that is to be found again by its number. */
    record Group(Regex regex, int number) implements Regex {
        @Override
        public boolean isNullable() {
            return regex.isNullable();
        }

        @Override
        public Regex derivative(int symbol) {
            return regex.derivative(symbol);
        }

        @Override
        public Regex relaxed() {
            return regex.relaxed();
        }
    }

    /** One behind the other. */
    record Sequence(Regex first, Regex rest) implements Regex {
        static Regex of(Regex first, Regex rest) {
            if (first == NOTHING || rest == NOTHING) {
                return NOTHING;
            } else if (first == EMPTY || rest == EMPTY) {
                return first == EMPTY ? rest : first;
            }
            return first instanceof Sequence chain
                    ? new Sequence(chain.first, of(chain.rest, rest))
                    : new Sequence(first, rest);
        }

        @Override
        public boolean isNullable() {
            return first.isNullable() && rest.isNullable();
        }

        @Override
        public Regex derivative(int symbol) {
            Regex within = of(first.derivative(symbol), rest);
            return first.isNullable() ? Choice.of(within, rest.derivative(symbol)) : within;
        }

        @Override
        public Regex relaxed() {
            return of(first.relaxed(), rest.relaxed());
        }
    }

    /** One of several, the first where several match. */
    record Choice(Set<Regex> options) implements Regex {
        static Regex of(Regex one, Regex other) {
            if (one == NOTHING || other == NOTHING || one.equals(other)) {
                return one == NOTHING ? other : one;
            }
            Set<Regex> options = new LinkedHashSet<>();
            for (Regex each : new Regex[] {one, other}) {
                if (each instanceof Choice choice) {
                    options.addAll(choice.options);
                } else {
                    options.add(each);
                }
            }
            return new Choice(options);
        }

        @Override
        public boolean isNullable() {
            return options.stream().anyMatch(Regex::isNullable);
        }

        @Override
        public Regex derivative(int symbol) {
            return options.stream().map(option -> option.derivative(symbol)).reduce(NOTHING, Choice::of);
        }

        @Override
        public Regex relaxed() {
            return options.stream().map(Regex::relaxed).reduce(NOTHING, Choice::of);
        }
    }

    /**
     * So many times the same.
     *
     * @param isLazy whether few times are better than many
     */
    record Repetition(Regex repeated, int min, int max, boolean isLazy) implements Regex {
        static Regex of(Regex repeated, int min, int max, boolean isLazy) {
            return max == 0 ? EMPTY : min == 1 && max == 1 ? repeated : new Repetition(repeated, min, max, isLazy);
        }

        @Override
        public boolean isNullable() {
            return min == 0 || repeated.isNullable();
        }

        @Override
        public Regex derivative(int symbol) {
            return Sequence.of(
                    repeated.derivative(symbol),
                    of(repeated, Math.max(0, min - 1), max == UNBOUNDED ? UNBOUNDED : max - 1, false));
        }

        @Override
        public Regex relaxed() {
            boolean isWide = repeated instanceof Symbols && min == 0 && max >= WIDE;
            return this == EMPTY ? this : of(repeated.relaxed(), min, isWide ? UNBOUNDED : max, false);
        }
    }
}
