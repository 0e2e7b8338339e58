package dev.rlm.journal.index;

import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.schema.LateEvents;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A line of a run, or one that tells of no run, as far as summaries need it.
 *
 * @param number in its file, from 0
 * @param offset of its first byte in the file's text
 * @param type of the event
 * @param runId empty where the line belongs to no run
 * @param seq the event's number in its run
 * @param nanos from the run's start
 * @param run what the line tells of its run, on a start, and on the first line of each run in the file that tells it
 * @param fact a {@link dev.rlm.sinks.event.RunEnded}, without its run, of a run's end; the {@link Double} of a reward, NaN for an absent one, a
 *     {@link Decision} of one that decides, and {@code null} for a second opinion; what belongs to no run, be it the name of the writer of what follows. Else {@code null}
 */
public record IndexedLine(
        long number,
        long offset,
        String type,
        String runId,
        long seq,
        long nanos,
        @Nullable RunInfo run,
        @Nullable Object fact) {
    /** Stands in events of lines for the run that they are of. */
    public static final RunInfo RUN = RunInfoBuilder.builder()
            .runId("-")
            .startedAt(Instant.EPOCH)
            .environment("-")
            .build();

    /** Returns whether another process has added it to a run that had ended. */
    boolean isAdded() {
        return type.equals(EventType.REWARD_GIVEN.label())
                && (fact == null || fact instanceof Decision || LateEvents.isLate(seq));
    }

    /** Reward that says if its run is solved. */
    public record Decision(double value, boolean solved) {}
}
