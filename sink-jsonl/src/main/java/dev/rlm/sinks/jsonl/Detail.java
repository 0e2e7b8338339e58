package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import java.util.Map;

/** Amount of what a journal tells of its runs that is kept in memory: texts may be nearly all of it. */
public enum Detail {
    /** All that starts and ends tell. */
    ALL,
    /** What {@link JournalJson#summary} needs: ends without final answer, numbers and the error's text. */
    SUMMARY,
    /** What a row of a table needs: starts without task and parameters, either. */
    ROW;

    RunInfo of(RunInfo run) {
        return this != ROW
                ? run
                : new RunInfo(
                        run.runId(),
                        run.startedAt(),
                        Content.EMPTY,
                        run.environment(),
                        run.model(),
                        run.maxSteps(),
                        run.seed(),
                        Map.of(),
                        run.tags(),
                        run.correlation(),
                        run.parent());
    }

    RunEnded of(RunEnded end) {
        return this == ALL
                ? end
                : new RunEnded(
                        end.run(),
                        end.seq(),
                        end.nanos(),
                        end.outcome(),
                        end.status(),
                        end.solved(),
                        end.runPath(),
                        end.terminationReason(),
                        end.truncated(),
                        end.steps(),
                        end.totalReward(),
                        end.absentRewards(),
                        null,
                        Map.of(),
                        end.errorType(),
                        null);
    }
}
