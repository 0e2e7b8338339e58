package dev.rlm.runs.report.phases;

import dev.rlm.runs.NaturalOrder;
import java.util.Comparator;
import java.util.Locale;

/**
 * Kind of work that takes time.
 *
 * @param name of a span that the user has named; empty for work of the runner
 */
record PhaseKey(Kind kind, String name) implements Comparable<PhaseKey> {
    /** Parts of a run that take time. */
    enum Kind {
        /** A span in no step, such as a phase of a pipeline. */
        PHASE,
        /** A span in a step. */
        SPAN_IN_STEP,
        STEPS,
        MODEL_CALLS,
        TOOL_CALLS,
        REWARDS,
        /** Time in which none of these goes on. */
        OTHER;

        /** Returns the name in records, such as {@code model_calls}. */
        String field() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns the name for people, such as {@code model calls}. */
        String title() {
            return field().replace('_', ' ');
        }
    }

    private static final Comparator<PhaseKey> ORDER =
            Comparator.comparing(PhaseKey::kind).thenComparing(PhaseKey::name, NaturalOrder.INSTANCE);

    static PhaseKey of(Kind kind) {
        return new PhaseKey(kind, "");
    }

    @Override
    public int compareTo(PhaseKey other) {
        return ORDER.compare(this, other);
    }
}
