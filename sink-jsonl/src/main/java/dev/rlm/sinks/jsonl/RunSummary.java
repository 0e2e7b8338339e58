package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run of a journal in short.
 *
 * @param run what is known from its start on; where the start is lost, what its other events tell
 * @param end {@code null} where it has none
 * @param steps how many steps have ended
 * @param toolCalls how many tools were called
 * @param rewards those given so far
 * @param events how many different events of it are there; those after its end do not count
 * @param duration from the start to the end, or to the last event; {@code null} where the record's times were made up
 * @param folders of the writers that recorded it; nearly always one
 */
public record RunSummary(
        RunInfo run,
        RunState state,
        @Nullable RunEnded end,
        int steps,
        int toolCalls,
        RewardSummary rewards,
        long events,
        @Nullable Duration duration,
        List<Path> folders) {
    /** Tag of runs that were taken over from elsewhere without times: those in the record tell no more than the order. */
    public static final String TIMES_TAG = "import.times";

    /** Value of the tag where no time is known but that of the import. */
    public static final String MADE_UP = "made_up";

    /** Value of the tag where the run's start and end are known, and nothing between them is. */
    public static final String MADE_UP_WITHIN = "made_up_within";

    public RunSummary {
        duration = MADE_UP.equals(run.tags().get(TIMES_TAG)) ? null : duration;
        folders = List.copyOf(folders);
    }

    /** Whether the journal lacks some of the events that its end says it had. */
    public boolean isIncomplete() {
        return end != null && events < end.seq();
    }

    /** Whether the times of its steps and calls are known. */
    public boolean hasTimesWithin() {
        return !run.tags().containsKey(TIMES_TAG);
    }

    /** The class of the error that it failed by, else why it ended; {@code null} where it has not failed, or does not say. */
    public @Nullable String failure() {
        RunEnded ended = end;
        if (ended == null || state != RunState.FAILED) {
            return null;
        }
        return ended.errorType() == null ? ended.terminationReason() : ended.errorType();
    }

    /** Returns the sum of the finite rewards so far, those that came after its end included. */
    public double totalReward() {
        return rewards.total();
    }

    /**
     * Whether it has ended and is solved, as its end says: what its last reward (or its total) came to by then, held
     * against the pass reward of that time. A reward that comes after the end counts in {@link #totalReward} and does not
     * change this, since the record does not keep by which pass reward, and by which of the two, the run was judged.
     */
    public boolean isSolved() {
        return end != null && end.solved();
    }

    /** Returns what its end says of {@link #isSolved}, unless that was said before its first reward came. */
    public Verdict verdict() {
        if (isSolved()) {
            return Verdict.SOLVED;
        }
        return rewards.undecided() ? Verdict.UNDECIDED : Verdict.UNSOLVED;
    }
}
