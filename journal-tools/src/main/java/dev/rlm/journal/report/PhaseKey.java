package dev.rlm.journal.report;

import dev.rlm.journal.NaturalOrder;
import java.util.Comparator;
import java.util.Locale;

/**
 * What time goes into.
 *
 * @param name of a span that the user has named; empty for what the runner does
 */
record PhaseKey(Kind kind, String name) implements Comparable<PhaseKey> {
    /** What of a run takes time. */
    enum Kind {
        /** A span in no step, such as a phase of a pipeline. */
        PHASE,
        /** A span in a step. */
        SPAN_IN_STEP,
        STEPS,
        MODEL_CALLS,
        TOOL_CALLS,
        REWARDS,
        /** When nothing of these goes on. */
        OTHER;

        /** As records name it. */
        String field() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** As people read it. */
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
