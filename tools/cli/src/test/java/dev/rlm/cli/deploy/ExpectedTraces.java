package dev.rlm.cli.deploy;

import dev.rlm.cli.backend.JournalFigures;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.util.Set;

/** Which traces the tables of the dashboards must list for a load, by its journals. */
record ExpectedTraces(JournalFigures figures) {

    Set<String> of(String query) {
        return switch (query) {
            case "runs: Latest runs" -> figures.traces(RunEnded.class, end -> true);
            case "runs: Started runs, running ones too" -> figures.traces(RunStarted.class, start -> true);
            case "runs: Failed runs" -> figures.traces(RunEnded.class, end -> end.outcome() != Outcome.COMPLETED);
            case "runs: Runs that ended unsolved" ->
                figures.traces(RunEnded.class, end -> Boolean.FALSE.equals(end.isSolved(null)));
            case "runs: Failed steps, latest" -> figures.traces(StepEnded.class, step -> !step.success());
            case "runs: Failed tool calls, latest" -> figures.traces(ToolCalled.class, ToolCalled::failed);
            case "rewards: Steps with a negative reward" -> figures.traces(StepEnded.class, step -> step.reward() < 0);
            case "rewards: Runs with a negative total" -> figures.traces(RunEnded.class, end -> end.totalReward() < 0);
            case "rewards: Runs whose rewards could not all be computed" ->
                figures.traces(RunEnded.class, end -> end.absentRewards() > 0);
            case "rewards: Solved runs" -> figures.traces(RunEnded.class, RunEnded::solved);
            default -> throw new AssertionError("nothing is expected of " + query);
        };
    }
}
