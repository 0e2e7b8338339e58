package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.RunEnded;
import java.util.Locale;

/** Judgement of a run: solved or not, as far as its record tells. */
public enum Verdict {
    SOLVED,
    UNSOLVED,
    /**
     * The run had no reward when it ended, and got one later: its end says unsolved because it had not been judged yet.
     */
    UNDECIDED;

    /** Returns what a run's end says of it, which never is {@link #UNDECIDED}: the end knows no later reward. */
    public static Verdict of(RunEnded end) {
        return end.solved() ? SOLVED : UNSOLVED;
    }

    /** Returns the name as people read it: {@code not solved}. */
    public String label() {
        return this == UNSOLVED ? "not solved" : name().toLowerCase(Locale.ROOT);
    }
}
