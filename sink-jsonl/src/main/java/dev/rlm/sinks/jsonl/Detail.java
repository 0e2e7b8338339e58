package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import java.util.Map;

/** Amount of what a journal tells of its runs that is kept in memory: texts may be nearly all of it. */
public enum Detail {
    /** All that starts and ends tell. */
    ALL,
    /** What {@link JournalJson#summary} needs: ends without final answer, numbers and the error's text. */
    SUMMARY,
    /** Details of a row of a table: starts without task, expected answer and parameters, either. */
    ROW;

    RunInfo of(RunInfo run) {
        return this != ROW
                ? run
                : RunInfoBuilder.builder(run)
                        .task(Content.EMPTY)
                        .expectedAnswer(null)
                        .params(Map.of())
                        .build();
    }

    RunEnded of(RunEnded end) {
        return this == ALL
                ? end
                : RunEndedBuilder.builder(end)
                        .finalAnswer(null)
                        .metrics(Map.of())
                        .error(null)
                        .build();
    }
}
