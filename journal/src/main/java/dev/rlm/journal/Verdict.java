package dev.rlm.journal;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Judgement of a run: solved or not, as far as its record tells. */
public enum Verdict {
    SOLVED,
    UNSOLVED,
    /**
     * The run had no reward when it ended, and those that came later have not decided: they could not be computed, or the record does
     * not tell from which reward on the run is solved.
     */
    UNDECIDED,
    /** The run was never given a reward. */
    UNREWARDED;

    /**
     * Returns what a run's record says of it.
     *
     * @param solved {@code null} where that is open
     * @param rewarded whether it was ever given a reward
     */
    public static Verdict of(@Nullable Boolean solved, boolean rewarded) {
        return solved == null ? rewarded ? UNDECIDED : UNREWARDED : solved ? SOLVED : UNSOLVED;
    }

    /** Returns whether it says if the run is solved. */
    public boolean isDecided() {
        return this == SOLVED || this == UNSOLVED;
    }

    /** Returns whether the run is solved; {@code null} where that is open. */
    public @Nullable Boolean solved() {
        return isDecided() ? (Boolean) (this == SOLVED) : null;
    }

    /** Returns the name as people read it: {@code not solved}; {@code -} for a run without a reward. */
    public String label() {
        return this == UNREWARDED ? "-" : this == UNSOLVED ? "not solved" : name().toLowerCase(Locale.ROOT);
    }
}
