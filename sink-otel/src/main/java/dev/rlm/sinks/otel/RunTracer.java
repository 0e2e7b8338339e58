package dev.rlm.sinks.otel;

import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import io.opentelemetry.api.trace.Span;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Starts and ends spans as events come, and accounts for each event by the span that stands for it. A span whose start
 * was lost is made when its next event comes. On the lane only.
 */
final class RunTracer {
    private static final String ABORTED = Outcome.ABORTED.label();
    private static final String ABANDONED = Outcome.ABANDONED.label();

    private final OpenSpans spans;
    private final RunMapping mapping;
    private final RewardMapping rewards;
    private final CallMapping calls;
    private final Instruments instruments;
    private final RunLogs logs;
    private final DeliveryCounts counts;
    private final SpanEnds ends;
    private final boolean genAiSpans;
    private final Set<Class<? extends RunEvent>> accountedElsewhere;

    /**
     * @param ends what ends spans
     * @param genAiSpans whether calls of models and tools are spans and are measured
     * @param accountedElsewhere kinds of events that no span accounts for
     */
    RunTracer(
            OpenSpans spans,
            RunMapping mapping,
            ContentCapture capture,
            Instruments instruments,
            RunLogs logs,
            DeliveryCounts counts,
            SpanEnds ends,
            boolean genAiSpans,
            Set<Class<? extends RunEvent>> accountedElsewhere) {
        this.spans = spans;
        this.mapping = mapping;
        this.rewards = new RewardMapping(capture);
        this.calls = new CallMapping(capture);
        this.instruments = instruments;
        this.logs = logs;
        this.counts = counts;
        this.ends = ends;
        this.genAiSpans = genAiSpans;
        this.accountedElsewhere = accountedElsewhere;
    }

    /** For how many events it counts here. */
    private int count(RunEvent event) {
        return accountedElsewhere.contains(event.getClass()) ? 0 : 1;
    }

    /** Whether the event comes after the end of its run, or of its step, and no reward; it is then counted as lost. */
    boolean isLate(RunEvent event) {
        if (event instanceof RewardGiven) {
            return false;
        }
        OpenRun run = spans.find(event.run());
        boolean late = run == null ? spans.isAfterEnd(event) : isOfAnEndedStep(run, event);
        if (late) {
            counts.dropped("late", count(event));
        }
        return late;
    }

    private static boolean isOfAnEndedStep(OpenRun run, RunEvent event) {
        return (event instanceof StepStarted || event instanceof StepEnded) && run.hasEnded(event.step());
    }

    void runStarted(RunStarted event) {
        OpenRun known = spans.find(event.run());
        if (known != null && known.isDescribed()) {
            known.count(count(event)); // said again
        } else {
            open(event, count(event));
        }
        measureStart(spans.run(event.run()));
    }

    /** Where a start was lost, or was another sink's, neither the start nor its end is counted here. */
    private void measureStart(OpenRun run) {
        if (run.markCounted()) {
            instruments.runStarted(run.labels(), run.span());
        }
    }

    void stepStarted(StepStarted event) {
        open(open(event), event).count(count(event));
    }

    void modelCalled(ModelCalled event) {
        if (genAiSpans) {
            OpenRun run = open(event);
            Span span = part(run, Part.of(event), event, s -> calls.modelCalled(s, event));
            instruments.modelCalled(event, ends.example(run, span));
        } else {
            inCourse(event);
        }
    }

    void toolCalled(ToolCalled event) {
        OpenRun run = open(event);
        OpenStep step = run.findStep(event.step());
        if (step != null) {
            step.called(event.tool());
        }
        Span span = genAiSpans
                ? part(run, Part.of(event), event, s -> calls.toolCalled(s, event))
                : inCourse(event).span();
        instruments.toolCalled(event, ends.example(run, span));
    }

    void spanRecorded(SpanRecorded event) {
        OpenRun run = open(event);
        run.hadParts(event.seq());
        part(run, Part.of(event), event, s -> calls.spanRecorded(s, event));
    }

    /**
     * An event of the step or run that it was given to; a span as well where it took time or a judge was called, and
     * alone where it came late.
     */
    void rewardGiven(RewardGiven event) {
        OpenRun open = spans.find(event.run());
        OpenRun run = open == null ? spans.afterEnd(event.run()) : open(event);
        if (run == null) {
            counts.dropped("late", count(event));
            return;
        }
        boolean late = open == null || run.hasEnded(event.step());
        OpenSpan holder = holder(run, event);
        if (!late) {
            holder.addReward(rewards.event(event), event.time());
        }
        boolean hadParts = run.hadParts(event.seq());
        Span span;
        if (late || hadParts || event.startNanos() < event.nanos()) {
            span = part(run, Part.of(event), event, s -> rewards.span(s, event));
        } else {
            holder.count(count(event));
            span = holder.span();
        }
        instruments.rewardGiven(event, run.labels(), ends.example(run, span));
        logs.rewardGiven(event, run.at(event.step()));
    }

    void heartbeat(Heartbeat event) {
        inCourse(event);
        logs.heartbeat(event, spans.run(event.run()).current());
    }

    void artifactSaved(ArtifactSaved event) {
        inCourse(event).addArtifact(RunMapping.artifact(event), event.time());
    }

    /** Any event that neither starts a step nor ends a span: it counts with the span in whose course it came. */
    OpenSpan inCourse(RunEvent event) {
        OpenSpan span = holder(open(event), event);
        span.count(count(event));
        return span;
    }

    private static OpenSpan holder(OpenRun run, RunEvent event) {
        OpenStep step = run.findStep(event.step());
        return step == null ? run : step;
    }

    void stepEnded(StepEnded event) {
        OpenRun run = open(event);
        OpenStep step = open(run, event.started());
        step.addLastRewards();
        mapping.stepEnded(step.span(), event, step.tool());
        instruments.stepEnded(event, run.labels(), ends.example(run, step.span()));
        step.count(count(event)); // nothing that can go wrong comes between this and its end
        run.removeStep(step);
        ends.end(run, step, event.time());
    }

    void runEnded(RunEnded event) {
        OpenRun run = open(event);
        run.addLastRewards();
        mapping.runEnded(run.span(), event);
        instruments.runEnded(event, run.labels(), run.span());
        logs.runEnded(event, run.current());
        run.count(count(event));
        Instant time = endSteps(run, event.time(), event.outcome() == Outcome.ABANDONED ? ABANDONED : ABORTED);
        ends.settle(run, event);
        end(run, time);
    }

    /** Ends what is open, children first, as aborted, at the time of the last that is known of it. */
    void abortAll() {
        spans.all().stream().filter(OpenRun::isStarted).toList().forEach(run -> {
            if (run.isNew()) { // a scope's, of which the lane never heard
                begin(run, mapping.task(run.info()));
            }
            SpanEnds.abort(run.span(), ABORTED);
            run.addLastRewards();
            Instant time = endSteps(run, run.lastEvent(), ABORTED);
            ends.keep(run);
            end(run, time);
        });
    }

    /** Sends what is known of runs that are left in their middle. */
    void keepAll() {
        ends.keepAll();
    }

    private OpenRun open(RunEvent event) {
        return open(event, 0);
    }

    /** The run; where it is new, with its marker, which stands for so many events. */
    private OpenRun open(RunEvent event, int markedEvents) {
        OpenRun run = spans.run(event.run());
        run.saw(event.time());
        if (run.isNew()) {
            Optional<String> task = mapping.task(run.info());
            begin(run, task);
            Part marker = Part.marker(run.info());
            Span span = run.startPart(marker);
            mapping.marker(span, run.info(), task);
            ends.end(span, markedEvents, null, marker.start(), marker.start());
            ends.begin(run);
        }
        return run;
    }

    private void begin(OpenRun run, Optional<String> task) {
        mapping.runStarted(run.span(), run.info(), task);
    }

    private OpenStep open(OpenRun run, StepStarted event) {
        OpenStep step = run.step(event);
        begin(run, step);
        return step;
    }

    private void begin(OpenRun run, OpenStep step) {
        if (step.isNew()) {
            mapping.stepStarted(step.span(), run.identity(), step.started());
        }
    }

    /** Makes a span that stands for the event, which came at its end. */
    private Span part(OpenRun run, Part part, RunEvent event, Consumer<Span> description) {
        Span span = run.startPart(part);
        description.accept(span);
        ends.end(span, count(event), run, part.start(), event.time());
        return span;
    }

    /** Ends the steps that are open, and returns the time at which the run can end. */
    private Instant endSteps(OpenRun run, Instant at, String errorType) {
        Instant time = notBefore(run, at);
        run.openWork().forEach(work -> {
            RunMapping.identity(SpanFields.of(work.span()), run.info());
            SpanEnds.abort(work.span(), errorType);
            ends.end(work.span(), 0, run, work.part().start(), time); // its own event never came
        });
        run.openSteps().stream()
                .sorted(Comparator.comparingInt(OpenStep::number).reversed())
                .forEach(step -> {
                    begin(run, step);
                    step.addLastRewards();
                    SpanEnds.abort(step.span(), errorType);
                    ends.end(run, step, time);
                });
        return time;
    }

    private void end(OpenRun run, Instant time) {
        spans.remove(run);
        if (run.isCounted()) {
            instruments.runGone(run.labels());
        }
        ends.end(run, time);
    }

    /** The time, or a later one where what has just been started needs it: no child ends after its parent. */
    private static Instant notBefore(OpenRun run, Instant time) {
        return Stream.concat(
                        run.openSteps().stream().map(OpenStep::startedAt),
                        run.openWork().stream().map(work -> work.part().start()))
                .map(start -> start.plus(SpanEnds.SHORTEST))
                .filter(time::isBefore)
                .max(Comparator.naturalOrder())
                .orElse(time);
    }
}
