package dev.rlm.sinks.redaction;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A deterministic automaton that tells whether a {@link Regex} matches at a place of a text. Its states are made when they are
 * first reached, and all forgotten where they become too many. It reads a character in some nanoseconds, without garbage, up
 * to where the answer is known. Safe for use by several threads.
 */
final class LazyDfa {
    private static final int MAX_STATES = 1 << 10;
    private static final int CHECKED = (1 << 13) - 1; // characters between two looks at the clock

    private final byte[] classes = new byte[Regex.SYMBOLS]; // of symbols that no part of the expression tells apart
    private final int[] members; // one symbol of each
    private final Regex regex;
    private final Map<Regex, State> states = new HashMap<>();
    private volatile State start;

    LazyDfa(Regex regex) {
        this.regex = regex;
        members = classify(regex);
        start = state(regex);
    }

    /** One that matches whole texts alone. */
    static LazyDfa ofWhole(String regex) {
        return new LazyDfa(RegexParser.parse("(?:" + regex + ")\\z"));
    }

    private int[] classify(Regex whole) {
        List<Regex.Symbols> sets = new ArrayList<>();
        collect(whole, sets);
        Map<List<Boolean>, Integer> known = new HashMap<>();
        int[] firsts = new int[Regex.SYMBOLS];
        for (int symbol = 0; symbol < Regex.SYMBOLS; symbol++) {
            int each = symbol;
            List<Boolean> within =
                    sets.stream().map(set -> set.symbols().get(each)).toList();
            int number = known.computeIfAbsent(within, unused -> known.size());
            classes[symbol] = (byte) number;
            firsts[number] = symbol;
        }
        return Arrays.copyOf(firsts, known.size());
    }

    private static void collect(Regex regex, List<Regex.Symbols> sets) {
        if (regex instanceof Regex.Symbols symbols) {
            sets.add(symbols);
        } else if (regex instanceof Regex.Sequence sequence) {
            collect(sequence.first(), sets);
            collect(sequence.rest(), sets);
        } else if (regex instanceof Regex.Repetition repetition) {
            collect(repetition.repeated(), sets);
        } else if (regex instanceof Regex.Choice choice) {
            choice.options().forEach(option -> collect(option, sets));
        }
    }

    /**
     * Returns up to where it has to read from the index on to know whether it matches there; the complement ({@code ~}) of that
     * where it does not.
     */
    int end(String text, int from, Deadline deadline) {
        State state = start;
        int i = from;
        for (; state.isOpen && i < text.length(); i++) {
            if ((i & CHECKED) == CHECKED) {
                deadline.check();
            }
            char c = text.charAt(i);
            i += Character.isHighSurrogate(c) && isLowAt(text, i + 1) ? 1 : 0;
            state = next(state, Regex.symbol(c));
        }
        return (state.isOpen ? next(state, Regex.END) : state).accepts ? i : ~i;
    }

    boolean matches(String text) {
        return end(text, 0, Deadline.NONE) >= 0;
    }

    /** Returns whether it may match a text that begins so. */
    boolean mayBegin(String beginning) {
        State state = start;
        for (int i = 0; i < beginning.length() && state.isOpen; i++) {
            state = next(state, Regex.symbol(beginning.charAt(i)));
        }
        return state.isOpen || state.accepts;
    }

    private static boolean isLowAt(String text, int index) {
        return index < text.length() && Character.isLowSurrogate(text.charAt(index));
    }

    private State next(State state, int symbol) {
        byte number = classes[symbol];
        State next = state.next[number];
        return next == null ? grow(state, number) : next;
    }

    private synchronized State grow(State state, byte number) {
        if (states.size() >= MAX_STATES) {
            states.clear();
            start = state(regex);
        }
        State next = state(state.regex.derivative(members[number]));
        state.next[number] = next; // which others may see at once or later: all else in it is final
        return next;
    }

    private synchronized State state(Regex left) {
        return states.computeIfAbsent(left, unused -> new State(left, members.length));
    }

    private static final class State {
        private final Regex regex;
        private final boolean accepts;
        private final boolean isOpen; // the answer is not known yet
        private final State[] next;

        State(Regex regex, int width) {
            this.regex = regex;
            accepts = regex.isNullable();
            isOpen = !accepts && regex != Regex.NOTHING;
            next = new State[width];
        }
    }
}
