package dev.rlm.runs;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Pairs of elements of two lists: those of a longest common subsequence, and elements that only one list has.
 *
 * @param <T> the elements
 */
final class Alignment<T> {
    private static final long MAX_CELLS = 400_000_000; // of 20,000 steps a side; 50 MB

    private final List<Pair<T>> pairs = new ArrayList<>();
    private final List<Function<T, ?>> keys;

    private Alignment(List<Function<T, ?>> keys) {
        this.keys = keys;
    }

    /**
     * Returns the pairs in order: elements with the same first key; between them those with the same second key, and so on.
     */
    static <T> List<Pair<T>> of(List<T> here, List<T> there, List<Function<T, ?>> keys) {
        Alignment<T> alignment = new Alignment<>(keys);
        alignment.add(here, there, 0);
        return alignment.pairs;
    }

    private void add(List<T> here, List<T> there, int level) {
        if (level == keys.size() || here.isEmpty() || there.isEmpty()) {
            here.forEach(one -> pairs.add(new Pair<>(one, null)));
            there.forEach(one -> pairs.add(new Pair<>(null, one)));
            return;
        }
        Map<Object, Integer> numbers = new HashMap<>(); // of keys: texts may be long
        Function<T, Integer> key =
                keys.get(level).andThen(one -> numbers.computeIfAbsent(one, unknown -> numbers.size()));
        int[] ours = here.stream().mapToInt(key::apply).toArray();
        int[] theirs = there.stream().mapToInt(key::apply).toArray();
        Skips skips = new Skips(ours, theirs);
        int i = 0; // the first elements that are in no pair yet
        int j = 0;
        int a = 0;
        int b = 0;
        while (a < ours.length && b < theirs.length) {
            if (ours[a] == theirs[b]) {
                add(here.subList(i, a), there.subList(j, b), level + 1);
                pairs.add(new Pair<>(here.get(a), there.get(b)));
                i = ++a;
                j = ++b;
            } else if (skips.here(a, b)) {
                a++;
            } else {
                b++;
            }
        }
        add(here.subList(i, here.size()), there.subList(j, there.size()), level + 1);
    }

    /**
     * Elements that belong together, on one side or both.
     *
     * @param <T> the elements
     */
    record Pair<T>(@Nullable T here, @Nullable T there) {}

    /** The side to skip an element of where two differ; of lists that are too long, both in turn. */
    private static final class Skips {
        private final BitSet here = new BitSet();
        private final int width;
        private final boolean known;

        Skips(int[] ours, int[] theirs) {
            width = theirs.length;
            known = (long) ours.length * width <= MAX_CELLS;
            int[] below = new int[width + 1]; // lengths of common subsequences of what follows
            for (int a = ours.length - 1; a >= 0 && known; a--) {
                int[] lengths = new int[width + 1];
                for (int b = width - 1; b >= 0; b--) {
                    boolean skipsHere = below[b] >= lengths[b + 1];
                    here.set(a * width + b, skipsHere);
                    lengths[b] = ours[a] == theirs[b] ? below[b + 1] + 1 : skipsHere ? below[b] : lengths[b + 1];
                }
                below = lengths;
            }
        }

        boolean here(int a, int b) {
            return known ? here.get(a * width + b) : a <= b;
        }
    }
}
