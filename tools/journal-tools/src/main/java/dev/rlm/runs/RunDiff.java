package dev.rlm.runs;

import dev.rlm.runs.Alignment.Pair;
import dev.rlm.sinks.event.RunEvent;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of two runs.
 *
 * @param here the facts of this side
 * @param there the facts of the other side
 * @param steps in order, those of both sides that belong together beside each other
 */
record RunDiff(Map<String, Object> here, Map<String, Object> there, List<Row> steps) {
    private static final List<Function<StepSide, ?>> KEYS =
            List.of(step -> List.of(step.action(), step.code()), StepSide::action);

    static RunDiff of(RunSide here, RunSide there) {
        List<Row> rows = new ArrayList<>();
        List<StepSide> ours = inside(here);
        List<StepSide> theirs = inside(there);
        int same = 0;
        while (same < Math.min(ours.size(), theirs.size()) && ours.get(same).equals(theirs.get(same))) {
            rows.add(new Row(ours.get(same), theirs.get(same)));
            same++;
        }
        Alignment.of(ours.subList(same, ours.size()), theirs.subList(same, theirs.size()), KEYS)
                .forEach(pair -> rows.add(Row.of(pair)));
        Pair<StepSide> outside = new Pair<>(outside(here), outside(there));
        if (outside.here() != null || outside.there() != null) {
            rows.add(Row.of(outside));
        }
        return new RunDiff(here.facts(), there.facts(), rows);
    }

    private static List<StepSide> inside(RunSide side) {
        return side.steps().stream()
                .filter(step -> step.number() != RunEvent.NO_STEP)
                .toList();
    }

    private static @Nullable StepSide outside(RunSide side) {
        return side.steps().stream()
                .filter(step -> step.number() == RunEvent.NO_STEP)
                .findFirst()
                .orElse(null);
    }

    /** Returns the names of all facts, in order. */
    List<String> facts() {
        Set<String> names = new LinkedHashSet<>(here.keySet());
        names.addAll(there.keySet());
        return List.copyOf(names);
    }

    /** Returns the first step that differs; {@code null} where none does. */
    @Nullable
    Row firstDivergence() {
        return steps.stream()
                .filter(row -> row.isStep() && row.change() != Change.SAME)
                .findFirst()
                .orElse(null);
    }

    /** Returns the number of steps of this kind. */
    long count(Change change) {
        return steps.stream()
                .filter(row -> row.isStep() && row.change() == change)
                .count();
    }

    /** Relation between the two sides of a row. */
    enum Change {
        SAME('='),
        CHANGED('~'),
        THIS_SIDE_ONLY('-'),
        OTHER_SIDE_ONLY('+');

        private final char mark;

        Change(char mark) {
            this.mark = mark;
        }

        char mark() {
            return mark;
        }
    }

    /** Steps of both sides that belong together; one of them may be missing. */
    record Row(@Nullable StepSide here, @Nullable StepSide there) {
        private static Row of(Pair<StepSide> pair) {
            return new Row(pair.here(), pair.there());
        }

        /** Returns the step that there is, that of this side first. */
        StepSide any() {
            return here != null ? here : Objects.requireNonNull(there);
        }

        /** Returns the number of the step on this side, else that on the other. */
        int number() {
            return any().number();
        }

        /** Returns whether it is a step, and not what happened outside of steps. */
        boolean isStep() {
            return number() != RunEvent.NO_STEP;
        }

        Change change() {
            if (here == null || there == null) {
                return here == null ? Change.OTHER_SIDE_ONLY : Change.THIS_SIDE_ONLY;
            }
            return here.values().equals(there.values()) ? Change.SAME : Change.CHANGED;
        }

        /** Returns the names of the fields that differ, as {@link StepSide#flat} has them. */
        List<String> differing() {
            Map<String, Object> ours = here == null ? Map.of() : here.flat();
            Map<String, Object> theirs = there == null ? Map.of() : there.flat();
            return Stream.concat(ours.keySet().stream(), theirs.keySet().stream())
                    .distinct()
                    .filter(name -> !Objects.equals(ours.get(name), theirs.get(name)))
                    .toList();
        }
    }
}
