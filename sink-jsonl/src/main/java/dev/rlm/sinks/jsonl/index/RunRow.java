package dev.rlm.sinks.jsonl.index;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import org.jspecify.annotations.Nullable;

/**
 * A run in short, as some lines tell of it.
 *
 * @param run what is known from its start on; where the start is lost, what its other events tell
 * @param end {@code null} where it has none
 * @param steps how many steps have ended
 * @param toolCalls how many tools were called
 * @param totalReward the sum of the finite rewards
 * @param lastReward that was given, by the numbers of events: NaN for one that could not be computed; {@code null} where none was
 * @param absentRewards how many could not be computed
 * @param lateRewards how many came after the end
 * @param undecided whether it is open if the run is solved
 * @param events how many different events there are; those after the end do not count
 * @param nanos from the start to the last event
 * @param lastLine number of the last line in its file
 */
public record RunRow(
        RunInfo run,
        @Nullable RunEnded end,
        int steps,
        int toolCalls,
        double totalReward,
        @Nullable Double lastReward,
        int absentRewards,
        int lateRewards,
        boolean undecided,
        long events,
        long nanos,
        long lastLine) {}
