package dev.rlm.sinks.redaction;

import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A regular expression without captures, as a value: equal ones match the same. Its {@linkplain #derivative derivative} is what
 * is left to match behind a symbol (Brzozowski), so that derivatives are the states of a {@link LazyDfa}; counted repetitions
 * count down in them and are never written out. Symbols are the characters of ASCII, one for all others, and the text's end.
 */
sealed interface Regex {
    int OTHER = 128; // a character beyond ASCII
    int LONG_S = 129; // which is an s in either case
    int KELVIN = 130; // which is a k
    int END = 131; // of the text
    int SYMBOLS = 132;
    int UNBOUNDED = -1;

    Regex NOTHING = new Choice(Set.of());
    Regex EMPTY = new Repetition(NOTHING, 0, 0);

    static int symbol(char c) {
        return c < OTHER ? c : c == '\u017F' ? LONG_S : c == '\u212A' ? KELVIN : OTHER;
    }

    /** Returns whether it matches where nothing is left. */
    boolean isNullable();

    Regex derivative(int symbol);

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
    }

    /** One of several. */
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
    }

    /** So many times the same. */
    record Repetition(Regex repeated, int min, int max) implements Regex {
        static Regex of(Regex repeated, int min, int max) {
            return max == 0 ? EMPTY : min == 1 && max == 1 ? repeated : new Repetition(repeated, min, max);
        }

        @Override
        public boolean isNullable() {
            return min == 0 || repeated.isNullable();
        }

        @Override
        public Regex derivative(int symbol) {
            return Sequence.of(
                    repeated.derivative(symbol),
                    of(repeated, Math.max(0, min - 1), max == UNBOUNDED ? UNBOUNDED : max - 1));
        }
    }
}
