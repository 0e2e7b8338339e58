package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Starts and ends spans as events come, and accounts for each event by the span that stands for it. A span whose start
 * was lost is made when its next event comes. On the lane only.
 */
final class RunTracer {
    /** Jaeger warns of a span that ends when it starts, and counts in microseconds, as other back ends do. */
    private static final Duration SHORTEST = Duration.ofNanos(1_000);

    private static final String ABORTED = Outcome.ABORTED.label();
    private static final String ABANDONED = Outcome.ABANDONED.label();

    private final OpenSpans spans;
    private final RunMapping mapping;
    private final Instruments instruments;
    private final Acknowledgements acknowledgements;
    private final @Nullable SpanExport export;

    /** With the sink's own export, or none where an injected OpenTelemetry sends. */
    RunTracer(
            OpenSpans spans,
            RunMapping mapping,
            Instruments instruments,
            Acknowledgements acknowledgements,
            @Nullable SpanExport export) {
        this.spans = spans;
        this.mapping = mapping;
        this.instruments = instruments;
        this.acknowledgements = acknowledgements;
        this.export = export;
    }

    /** Whether the event comes after the end of its run, or of its step; it is then counted as lost. */
    boolean isLate(RunEvent event) {
        boolean late = spans.hasEnded(event.run().runId()) || isOfAnEndedStep(event);
        if (late) {
            acknowledgements.dropped("late", 1);
        }
        return late;
    }

    private boolean isOfAnEndedStep(RunEvent event) {
        return (event instanceof StepStarted || event instanceof StepEnded)
                && open(event).hasEnded(event.step());
    }

    void stepStarted(StepStarted event) {
        open(open(event), event).count();
    }

    void rewardGiven(RewardGiven event) {
        Span span = inCourse(event).span();
        mapping.rewardGiven(span, event);
        instruments.rewardGiven(event, span);
    }

    /** Any event that neither starts a step nor ends a span: it counts with the span in whose course it came. */
    OpenSpan inCourse(RunEvent event) {
        OpenRun run = open(event);
        OpenStep step = run.findStep(event.step());
        OpenSpan span = step == null ? run : step;
        span.count();
        return span;
    }

    void stepEnded(StepEnded event) {
        OpenRun run = open(event);
        OpenStep step = open(run, event.started());
        step.count();
        mapping.stepEnded(step.span(), event);
        instruments.stepEnded(event.run(), step.span());
        run.removeStep(event.step());
        endSpan(step, event.time());
    }

    void runEnded(RunEnded event) {
        OpenRun run = open(event);
        run.count();
        mapping.runEnded(run.span(), event);
        instruments.runEnded(event, run.span());
        end(run, event.time(), event.outcome() == Outcome.ABANDONED ? ABANDONED : ABORTED);
    }

    /** Ends what is open, children first, as aborted, at the time of the last that is known of it. */
    void abortAll() {
        spans.all().stream().filter(OpenRun::isStarted).toList().forEach(run -> {
            abort(run.span(), ABORTED);
            end(run, run.lastEvent(), ABORTED);
        });
    }

    private OpenRun open(RunEvent event) {
        OpenRun run = spans.run(event.run());
        run.saw(event.time());
        if (run.isNew()) {
            mapping.runStarted(run.span(), event.run());
            instruments.runStarted(event.run(), run.span());
        }
        return run;
    }

    private OpenStep open(OpenRun run, StepStarted event) {
        OpenStep step = run.step(event);
        if (step.isNew()) {
            mapping.stepStarted(step.span(), event);
        }
        return step;
    }

    private void end(OpenRun run, Instant at, String errorType) {
        Instant time = notBefore(run, at);
        run.openSteps().stream()
                .sorted(Comparator.comparingInt(OpenStep::number).reversed())
                .forEach(step -> {
                    abort(step.span(), errorType);
                    endSpan(step, time);
                });
        spans.remove(run);
        endSpan(run, time);
    }

    /** The time, or a later one where a step that has just been started needs it: no child ends after its parent. */
    private static Instant notBefore(OpenRun run, Instant time) {
        return run.openSteps().stream()
                .map(step -> step.startedAt().plus(SHORTEST))
                .filter(time::isBefore)
                .max(Comparator.naturalOrder())
                .orElse(time);
    }

    private static void abort(Span span, String errorType) {
        span.setAttribute(Names.ERROR_TYPE, errorType);
        span.setStatus(StatusCode.ERROR, "not ended by the run itself");
    }

    private void endSpan(OpenSpan open, Instant time) {
        Span span = open.span();
        if (!span.getSpanContext().isSampled()) {
            acknowledgements.dropped("not_sampled", open.events());
        } else if (export == null) {
            acknowledgements.delivered(open.events());
        } else {
            export.covering(open.events());
        }
        Instant least = open.startedAt().plus(SHORTEST);
        span.end(time.isBefore(least) ? least : time);
    }
}
