package dev.rlm.sinks.redaction.regex;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the groups of a {@link Regex} where it matches: of all matches the one that comes first, as in Perl. It tries one after
 * the other, for which only the repetitions of what is not told at once need the stack. Safe for use by several threads.
 */
public final class GroupFinder {
    private static final int MAX_STATES = 32; // of what is told at once

    private final Node first;
    private int loops; // that count on the stack
    private int groups;

    public GroupFinder(Regex regex) {
        first = node(regex, (run, at) -> {
            run.groups[1] = at;
            return true;
        });
    }

    /**
     * Returns where the match and each group begins and ends, -1 for one that is not part of it; null if nothing
     * matches.
     */
    public int @Nullable [] find(String text, int from, SearchDeadline deadline) {
        Run run = new Run(text, deadline, new int[2 * groups + 2], new int[loops]);
        Arrays.fill(run.groups, -1);
        run.groups[0] = from;
        return first.matches(run, from) ? run.groups : null;
    }

    private Node node(Regex regex, Node next) {
        if (regex instanceof Regex.Symbols symbols) {
            boolean[] among = among(symbols);
            return (run, at) -> run.isAmong(among, at) && next.matches(run, at + Regex.width(run.text, at));
        } else if (regex instanceof Regex.Ahead ahead) {
            boolean[] among = among(ahead.symbols());
            return (run, at) ->
                    run.isAmong(among, at) && (!ahead.isBoundary() || run.isBoundary(at)) && next.matches(run, at);
        } else if (regex instanceof Regex.Group group) {
            groups = Math.max(groups, group.number());
            return boundary(2 * group.number(), node(group.regex(), boundary(2 * group.number() + 1, next)));
        } else if (regex instanceof Regex.Sequence sequence) {
            return node(sequence.first(), node(sequence.rest(), next));
        } else if (regex instanceof Regex.Choice choice) {
            return choice(choice.options().stream()
                    .map(option -> guarded(option, node(option, next)))
                    .toArray(Node[]::new));
        }
        return regex == Regex.EMPTY ? next : repetition((Regex.Repetition) regex, next);
    }

    private static boolean[] among(Regex.Symbols symbols) {
        boolean[] among = new boolean[Regex.SYMBOLS];
        symbols.symbols().stream().forEach(symbol -> among[symbol] = true);
        return among;
    }

    /** One that is tried only where it may begin so. */
    private static Node guarded(Regex regex, Node node) {
        boolean[] firsts = new boolean[Regex.SYMBOLS];
        for (int symbol = 0; symbol < Regex.SYMBOLS; symbol++) {
            firsts[symbol] = regex.isNullable() || regex.derivative(symbol) != Regex.NOTHING;
        }
        return (run, at) -> run.isAmong(firsts, at) && node.matches(run, at);
    }

    private static Node boundary(int index, Node next) {
        return (run, at) -> {
            int before = run.groups[index];
            run.groups[index] = at;
            if (next.matches(run, at)) {
                return true;
            }
            run.groups[index] = before;
            return false;
        };
    }

    private static Node choice(Node... options) {
        return (run, at) -> {
            for (Node option : options) {
                if (option.matches(run, at)) {
                    return true;
                }
            }
            return false;
        };
    }

    private Node repetition(Regex.Repetition repetition, Node next) {
        Regex repeated = repetition.repeated();
        if (repetition.min() == 0 && repetition.max() == 1) {
            Node once = guarded(repeated, node(repeated, next));
            return repetition.isLazy() ? choice(next, once) : choice(once, next);
        } else if (repeated instanceof Regex.Symbols symbols) {
            boolean[] among = among(symbols);
            return run(repetition, (run, at) -> run.isAmong(among, at) ? at + Regex.width(run.text, at) : -1, next);
        } else if (isTold(repeated) && !holdsGroup(repeated)) {
            LazyDfa dfa = new LazyDfa(repeated);
            return run(repetition, (run, at) -> dfa.end(run.text, at, null), next);
        }
        return counted(repetition, next);
    }

    private boolean holdsGroup(Regex regex) {
        int before = groups;
        node(regex, (run, at) -> true);
        return groups > before;
    }

    /** Returns whether there is at most one match at a place: none begins with another. */
    private static boolean isTold(Regex regex) {
        Map<Regex, Boolean> known = new HashMap<>();
        List<Regex> left = new ArrayList<>(List.of(regex));
        while (!left.isEmpty() && known.size() < MAX_STATES) {
            Regex each = left.remove(left.size() - 1);
            if (known.put(each, true) == null) {
                for (int symbol = 0; symbol < Regex.SYMBOLS; symbol++) {
                    Regex derivative = each.derivative(symbol);
                    if (derivative != Regex.NOTHING) {
                        if (each.isNullable()) {
                            return false;
                        }
                        left.add(derivative);
                    }
                }
            }
        }
        return left.isEmpty();
    }

    /** A repetition that needs no stack. */
    private static Node run(Regex.Repetition repetition, Step step, Node next) {
        int min = repetition.min();
        int max = repetition.max() == Regex.UNBOUNDED ? Integer.MAX_VALUE : repetition.max();
        return repetition.isLazy()
                ? (run, at) -> {
                    int end = at;
                    for (int times = 0; end >= 0; times++) {
                        if (times >= min && next.matches(run, end)) {
                            return true;
                        }
                        end = times < max ? step.end(run, end) : -1;
                    }
                    return false;
                }
                : (run, at) -> {
                    int bottom = run.depth;
                    int times = 0;
                    int end = at;
                    for (int further = step.end(run, at);
                            further >= 0;
                            further = times < max ? step.end(run, end) : -1) {
                        run.push(end);
                        end = further;
                        times++;
                    }
                    return run.matchesBack(next, end, times - min, bottom);
                };
    }

    private Node counted(Regex.Repetition repetition, Node next) {
        if (repetition.max() == Regex.UNBOUNDED) {
            throw new IllegalArgumentException("the stack has no room for any number of " + repetition.repeated());
        }
        int loop = loops++;
        int max = repetition.max();
        Node[] again = new Node[1];
        Node body = node(repetition.repeated(), (run, at) -> again[0].matches(run, at));
        again[0] = (run, at) -> {
            int times = run.counts[loop]++;
            run.deadline.tick();
            boolean matches = times < repetition.min()
                    ? body.matches(run, at)
                    : repetition.isLazy()
                            ? after(run, at, loop, next) || (times < max && body.matches(run, at))
                            : (times < max && body.matches(run, at)) || after(run, at, loop, next);
            run.counts[loop] = times;
            return matches;
        };
        return again[0];
    }

    /** Goes on behind a repetition, which may come again. */
    private static boolean after(Run run, int at, int loop, Node next) {
        int times = run.counts[loop];
        run.counts[loop] = 0;
        boolean matches = next.matches(run, at);
        run.counts[loop] = times;
        return matches;
    }

    /** A part of the expression, with all behind it. */
    @FunctionalInterface
    private interface Node {
        boolean matches(Run run, int at);
    }

    /** Part that is repeated: returns where it ends, below 0 where it does not stand there. */
    @FunctionalInterface
    private interface Step {
        int end(Run run, int at);
    }

    private static final class Run {
        private final String text;
        private final SearchDeadline deadline;
        private final int[] groups;
        private final int[] counts;
        private int[] stack = {};
        private int depth;

        Run(String text, SearchDeadline deadline, int[] groups, int[] counts) {
            this.text = text;
            this.deadline = deadline;
            this.groups = groups;
            this.counts = counts;
        }

        boolean isAmong(boolean[] among, int at) {
            return among[at == text.length() ? Regex.END : Regex.symbol(text.charAt(at))];
        }

        boolean isBoundary(int at) {
            return isWord(at - 1) != isWord(at);
        }

        private boolean isWord(int at) {
            return at >= 0 && at < text.length() && RegexParser.isWord(Regex.symbol(text.charAt(at)));
        }

        void push(int at) {
            stack = depth == stack.length ? Arrays.copyOf(stack, 2 * depth + 16) : stack;
            stack[depth++] = at;
        }

        /** Goes on behind a repetition, or where it was so many times before. */
        boolean matchesBack(Node next, int at, int times, int bottom) {
            int end = at;
            for (int left = times; left >= 0; left--) {
                if (next.matches(this, end)) {
                    return true;
                }
                end = depth > bottom ? stack[--depth] : end;
            }
            depth = bottom;
            return false;
        }
    }
}
