package dev.rlm.sinks.redaction.regex;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A deterministic automaton that tells whether a {@link Regex} matches at a place of a text. Its states are made when they are
 * first reached, and all forgotten where they become too many. It reads a character in some nanoseconds, without garbage, up
 * to where the answer is known. Safe for use by several threads.
 */
public final class LazyDfa {
    private static final int MAX_STATES = 1 << 10;

    private final byte[] classes = new byte[Regex.SYMBOLS]; // of symbols that no part of the expression tells apart
    private final int[] members; // one symbol of each
    private final Regex regex;
    private final Map<Regex, State> states = new HashMap<>();
    private volatile State start;

    public LazyDfa(Regex regex) {
        this.regex = regex;
        members = classify(regex);
        start = state(regex);
    }

    /** One that matches whole texts alone. */
    public static LazyDfa ofWhole(String regex) {
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
        } else if (regex instanceof Regex.Ahead ahead) {
            sets.add(ahead.symbols());
        } else if (regex instanceof Regex.Group group) {
            collect(group.regex(), sets);
        } else if (regex instanceof Regex.Choice choice) {
            choice.options().forEach(option -> collect(option, sets));
        }
    }

    /**
     * Returns up to where it has to read from the index on to know whether it matches there; the complement ({@code ~}) of that
     * where it does not.
     *
     * @param traces those of the text, where what is read may be long
     */
    public int end(String text, int from, @Nullable Traces traces) {
        State state = start;
        @Nullable Trace trace = null;
        int i = from;
        for (; state.isOpen && i < text.length(); i++) {
            if ((i & Trace.APART) == 0 && traces != null && i - from > Trace.APART) {
                trace = trace == null ? traces.of(this, text).begin() : trace;
                int known = trace.pass(i, state);
                if (known != 0) {
                    return trace.end(known);
                }
                traces.deadline.tick();
            }
            char c = text.charAt(i);
            if (c < Regex.OTHER) {
                state = next(state, c);
            } else {
                state = next(state, Regex.symbol(c));
                i += Regex.width(text, i) - 1;
            }
        }
        int end = (state.isOpen ? next(state, Regex.END) : state).accepts ? i : ~i;
        return trace == null ? end : trace.end(end);
    }

    public boolean matches(String text) {
        return end(text, 0, null) >= 0;
    }

    /** Returns where the longest match ends; far behind where it is not known soon, and below the index where there is none. */
    public int longest(String text, int from, int most) {
        State state = start;
        int longest = -1;
        for (int i = from; state.regex != Regex.NOTHING; i++) {
            longest = state.accepts ? i : longest;
            if (i - from > most) {
                return Integer.MAX_VALUE;
            } else if (i >= text.length()) {
                return next(state, Regex.END).accepts ? i : longest;
            }
            char c = text.charAt(i);
            state = next(state, Regex.symbol(c));
            i += Regex.width(text, i) - 1;
        }
        return longest;
    }

    /** Returns whether it may match a text that begins so. */
    public boolean mayBegin(String beginning) {
        State state = start;
        for (int i = 0; i < beginning.length() && state.isOpen; i++) {
            state = next(state, Regex.symbol(beginning.charAt(i)));
        }
        return state.isOpen || state.accepts;
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

    /**
     * The states at some places of a text, and what became of the tries that came through them: another that comes to the same
     * state at the same place comes to the same end, so that tries from many places cost one reading.
     */
    private static final class Trace {
        private static final int DISTANCE = 5;
        private static final int APART = (1 << DISTANCE) - 1; // characters

        private final State[] states;
        private final int[] tries; // that came there
        private int[] ends = new int[8]; // by try
        private int last;

        Trace(int length) {
            states = new State[(length >> DISTANCE) + 1];
            tries = new int[states.length];
        }

        private Trace begin() {
            ends = ++last == ends.length ? Arrays.copyOf(ends, 2 * last) : ends;
            return this;
        }

        /** Returns the end of an earlier try that was in the same state there, else 0. */
        private int pass(int at, State state) {
            int place = at >> DISTANCE;
            int known = states[place] == state ? ends[tries[place]] : 0;
            states[place] = state;
            tries[place] = last;
            return known;
        }

        private int end(int end) {
            ends[last] = end;
            return end;
        }
    }

    /** The traces of automata in texts, made where one first reads far. For one thread. */
    public static final class Traces {
        private final IdentityHashMap<String, IdentityHashMap<LazyDfa, Trace>> traces = new IdentityHashMap<>(0);
        private final SearchDeadline deadline;

        public Traces(SearchDeadline deadline) {
            this.deadline = deadline;
        }

        private Trace of(LazyDfa automaton, String text) {
            return traces.computeIfAbsent(text, unused -> new IdentityHashMap<>())
                    .computeIfAbsent(automaton, unused -> new Trace(text.length()));
        }
    }
}
