package dev.rlm.runs.report.phases;

import dev.rlm.runs.report.phases.PhaseKey.Kind;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds what took time in a run. A step without an end lasts until the run's; what came after that is not in it. */
public final class Intervals {
    /** The kinds of events that tell. */
    public static final Set<Class<? extends RunEvent>> KINDS = Set.of(
            StepStarted.class,
            StepEnded.class,
            ModelCalled.class,
            ToolCalled.class,
            RewardGiven.class,
            SpanRecorded.class,
            RunEnded.class);

    private final List<Interval> found = new ArrayList<>();
    private final Map<Integer, StepStarted> open = new LinkedHashMap<>();
    private boolean ended;

    private Intervals() {}

    /** In the run whose events these are, by number, and which took so many nanoseconds. */
    static List<Interval> of(List<RunEvent> events, long nanos) {
        Intervals intervals = new Intervals();
        events.forEach(intervals::add);
        intervals.open.values().forEach(step -> intervals.step(step, nanos, false));
        return intervals.found.stream().map(interval -> interval.until(nanos)).toList();
    }

    private void add(RunEvent event) {
        if (event instanceof RunEnded) {
            ended = true;
        } else if (ended) {
            return;
        } else if (event instanceof StepStarted step) {
            open.put(step.step(), step);
        } else if (event instanceof StepEnded step) {
            open.remove(step.step());
            step(step.started(), step.nanos(), !step.success());
        } else if (event instanceof ModelCalled call) {
            add(PhaseKey.of(Kind.MODEL_CALLS), call, call.parentSeq(), call.startNanos(), call.error() != null);
        } else if (event instanceof ToolCalled call) {
            add(PhaseKey.of(Kind.TOOL_CALLS), call, call.parentSeq(), call.startNanos(), call.failed());
        } else if (event instanceof RewardGiven reward && reward.startNanos() < reward.nanos()) {
            add(PhaseKey.of(Kind.REWARDS), reward, 0, reward.startNanos(), reward.isAbsent());
        } else if (event instanceof SpanRecorded span) {
            Kind kind = span.step() == RunEvent.NO_STEP ? Kind.PHASE : Kind.SPAN_IN_STEP;
            PhaseKey key = new PhaseKey(kind, span.name());
            add(key, span, span.parentSeq(), span.startNanos(), span.error() != null);
        }
    }

    private void add(PhaseKey key, RunEvent event, long parentSeq, long start, boolean failed) {
        found.add(new Interval(
                key, event.seq(), event.step(), RunEvent.NO_STEP, parentSeq, start, event.nanos(), failed));
    }

    private void step(StepStarted step, long end, boolean failed) {
        PhaseKey key = PhaseKey.of(Kind.STEPS);
        found.add(new Interval(key, step.seq(), step.parentStep(), step.step(), 0, step.nanos(), end, failed));
    }
}
