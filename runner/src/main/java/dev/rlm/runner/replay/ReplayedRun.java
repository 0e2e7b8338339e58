package dev.rlm.runner.replay;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepEnded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Run as a journal has it, as far as it can be done again.
 *
 * @param steps from the first one on, up to the first that cannot be done again
 * @param end {@code null} where it has none
 * @param gap why it cannot be done again to its end; {@code null} where it can
 */
public record ReplayedRun(
        RunInfo info,
        List<RecordedStep> steps,
        @Nullable RunEnded end,
        @Nullable String gap) {
    public ReplayedRun {
        steps = List.copyOf(steps);
    }

    /** Returns the run that these events, in their order, tell of. */
    public static ReplayedRun of(RunInfo info, List<RunEvent> events) {
        Map<Integer, List<RunEvent>> byStep = new HashMap<>();
        Map<Integer, StepEnded> ends = new HashMap<>();
        RunInfo known = info;
        RunEnded end = null;
        for (RunEvent event : events) {
            byStep.computeIfAbsent(event.step(), step -> new ArrayList<>()).add(event);
            known = event.seq() == 1 ? event.run() : known;
            if (event instanceof StepEnded ended) {
                ends.put(ended.step(), ended);
            } else if (event instanceof RunEnded ended) {
                end = ended;
            }
        }
        int last = byStep.keySet().stream().reduce(end == null ? 0 : end.steps(), Math::max);
        List<RecordedStep> steps = new ArrayList<>();
        String gap = null;
        for (int number = 1; number <= last && gap == null; number++) {
            StepEnded ended = ends.get(number);
            RecordedStep step = ended == null ? null : RecordedStep.of(ended, byStep.getOrDefault(number, List.of()));
            gap = step == null ? "step " + number + " has no end in the record" : step.gap();
            if (step != null && gap == null) {
                steps.add(step);
            }
        }
        return new ReplayedRun(known, steps, end, gap != null ? gap : unfinished(steps, end));
    }

    private static @Nullable String unfinished(List<RecordedStep> steps, @Nullable RunEnded end) {
        if (end == null) {
            return "the record has no end";
        } else if (steps.isEmpty()) {
            Content error = end.error();
            return "it has no step" + (error == null ? "" : ": " + error.preview(100));
        }
        return end.outcome().isOwnEnd() ? null : "it was " + end.outcome().label();
    }

    /** Returns its id. */
    public String id() {
        return info.runId();
    }

    /** Returns whether the record has all of it. */
    boolean isWhole() {
        return gap == null;
    }

    /** Returns what its environment showed at first. */
    Content firstObservation() {
        return steps.get(0).end().started().observation();
    }

    /** Returns the parameter of that name as text; {@code null} where it has none. */
    public @Nullable String param(String name) {
        Object value = info.params().get(name);
        return value == null ? null : value.toString();
    }
}
