package dev.rlm.runs.report.failures;

import dev.rlm.runs.report.figures.RunCounter;
import dev.rlm.runs.report.figures.RunFacts;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.schema.statistics.MessageGroups;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;

/** Failed calls of tools, however their runs ended: how often which error came, and the latest of them. */
public final class FailedCalls implements RunCounter {
    /** The events that it needs. */
    public static final Set<Class<? extends RunEvent>> KINDS = Set.of(ToolCalled.class);

    /** Number of the latest that are kept. */
    static final int KEPT = 200;

    private final Map<String, MessageGroups> errors = new TreeMap<>(); // by tool
    private final PriorityQueue<FailedCall> latest = new PriorityQueue<>(FailedCall.ORDER);
    private long runs;
    private long runsWithFailed;
    private long calls;

    @Override
    public void add(RunFacts run) {
        long before = failed();
        for (RunEvent event : run.events()) {
            if (event instanceof ToolCalled call) {
                calls++;
                if (call.failed()) {
                    add(FailedCall.of(call));
                }
            }
        }
        runs++;
        runsWithFailed += failed() > before ? 1 : 0;
    }

    private void add(FailedCall call) {
        errors.computeIfAbsent(call.tool(), tool -> new MessageGroups()).add(call.error());
        latest.add(call);
        if (latest.size() > KEPT) {
            latest.remove();
        }
    }

    long failed() {
        return errors.values().stream().mapToLong(MessageGroups::total).sum();
    }

    /** Returns a row for each tool and error, the most frequent first. */
    List<NamedFigures> errors() {
        return errors.entrySet().stream()
                .flatMap(tool -> tool.getValue().counts().stream().map(error -> Map.entry(tool.getKey(), error)))
                .sorted(Comparator.comparingLong((Map.Entry<String, MessageGroups.Count> row) ->
                                row.getValue().messages())
                        .reversed()) // those that are as frequent stay in the order of their tools
                .map(row -> new NamedFigures()
                        .put("tool", row.getKey())
                        .put("error", row.getValue().text())
                        .put("calls", row.getValue().messages()))
                .toList();
    }

    /** Returns the latest calls, the last one first. */
    List<NamedFigures> latest() {
        return latest.stream()
                .sorted(FailedCall.ORDER.reversed())
                .map(FailedCall::fields)
                .toList();
    }

    /** Returns the numbers of runs and calls. */
    NamedFigures fields() {
        return new NamedFigures()
                .put("runs", runs)
                .put("runs_with_failed_calls", runsWithFailed)
                .put("calls", calls)
                .put("failed_calls", failed());
    }
}
