package dev.rlm.journal.index;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run in short, as some lines tell of it.
 *
 * @param run description known from its start on; if the start is lost, as far as its other events tell; a model that it does not name is
 *     that which its calls asked
 * @param end {@code null} where it has none
 * @param steps number of steps that have ended
 * @param toolCalls number of calls of tools
 * @param totalReward the sum of the finite rewards; {@code null} where none was given
 * @param lastReward that was given, by the numbers of events: NaN for one that could not be computed; {@code null} where none was
 * @param absentRewards number of rewards that could not be computed
 * @param lateRewards number of rewards that came after the end
 * @param solved {@code null} where that is open
 * @param events number of different events; those after the end do not count
 * @param nanos from the start to the last event
 * @param lastLine number of the last line in its file
 */
public record RunRow(
        RunInfo run,
        @Nullable RunEnded end,
        int steps,
        int toolCalls,
        @Nullable Double totalReward,
        @Nullable Double lastReward,
        int absentRewards,
        int lateRewards,
        @Nullable Boolean solved,
        long events,
        long nanos,
        long lastLine) {
    /** Returns it with the model that most of its calls asked, of several the first, where its start names none. */
    public RunRow withModelOf(Collection<EventRow> events) {
        if (!run.model().isEmpty()) {
            return this;
        }
        Map<String, Integer> asked = new LinkedHashMap<>();
        for (EventRow event : events) {
            if (event instanceof EventRow.ModelCall call) {
                asked.merge(call.model(), 1, Integer::sum);
            }
        }
        int most = asked.values().stream().mapToInt(count -> count).max().orElse(0);
        return asked.entrySet().stream()
                .filter(model -> model.getValue() == most)
                .map(Map.Entry::getKey)
                .findFirst()
                .map(this::withModel)
                .orElse(this);
    }

    private RunRow withModel(String model) {
        RunInfo named = RunInfoBuilder.builder(run).model(model).build();
        return new RunRow(
                named,
                end == null ? null : RunEndedBuilder.builder(end).run(named).build(),
                steps,
                toolCalls,
                totalReward,
                lastReward,
                absentRewards,
                lateRewards,
                solved,
                events,
                nanos,
                lastLine);
    }
}
