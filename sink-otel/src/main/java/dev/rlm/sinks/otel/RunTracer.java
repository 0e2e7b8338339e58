package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.otel.OpenSpans.OpenRun;
import dev.rlm.sinks.otel.OpenSpans.OpenStep;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Starts and ends spans as events come, and accounts for each event by the span that stands for it. A span whose start
 * was lost is made when its next event comes. On the lane only.
 */
final class RunTracer {
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

    /** Whether the event comes after its run's end, and is therefore counted as lost. */
    boolean isLate(RunEvent event) {
        boolean late = spans.hasEnded(event.run().runId());
        if (late) {
            acknowledgements.dropped("late", 1);
        }
        return late;
    }

    void runStarted(RunInfo info) {
        open(info).count();
    }

    void stepStarted(StepStarted event) {
        open(open(event.run()), event).count();
    }

    void rewardGiven(RewardGiven event) {
        OpenRun run = open(event.run());
        OpenStep step = run.findStep(event.step());
        Span span = step == null ? run.span() : step.span;
        if (step == null) {
            run.count();
        } else {
            step.count();
        }
        mapping.rewardGiven(span, event);
        instruments.rewardGiven(event, span);
    }

    void stepEnded(StepEnded event) {
        OpenRun run = open(event.run());
        OpenStep step = open(run, event.started());
        mapping.stepEnded(step.span, event);
        instruments.stepEnded(event.run(), step.span);
        run.steps().remove(event.step());
        end(step.span, step.count(), event.time());
    }

    void runEnded(RunEnded event) {
        OpenRun run = open(event.run());
        mapping.runEnded(run.span(), event);
        instruments.runEnded(event, run.span());
        run.count();
        end(run, event.time());
    }

    /** Ends what is open, children first, as aborted. */
    void abortAll() {
        List.copyOf(spans.all()).forEach(run -> {
            abort(run.span());
            end(run, Instant.now());
        });
    }

    private OpenRun open(RunInfo info) {
        OpenRun run = spans.run(info);
        if (run.isNew()) {
            mapping.runStarted(run.span(), info);
            instruments.runStarted(info, run.span());
        }
        return run;
    }

    private OpenStep open(OpenRun run, StepStarted event) {
        OpenStep step = run.step(event);
        if (step.isNew()) {
            mapping.stepStarted(step.span, event);
        }
        return step;
    }

    private void end(OpenRun run, Instant time) {
        run.steps().values().stream()
                .sorted(Comparator.comparingInt((OpenStep step) -> step.started.step())
                        .reversed())
                .forEach(step -> {
                    abort(step.span);
                    end(step.span, step.events(), time);
                });
        spans.remove(run);
        end(run.span(), run.events(), time);
    }

    private static void abort(Span span) {
        span.setAttribute(Names.ERROR_TYPE, "aborted");
        span.setStatus(StatusCode.ERROR, "not ended by the run itself");
    }

    private void end(Span span, int events, Instant time) {
        if (export == null) {
            span.end(time);
            acknowledgements.delivered(events);
        } else if (!span.getSpanContext().isSampled()) {
            span.end(time);
            acknowledgements.dropped("not_sampled", events);
        } else {
            export.covering(events);
            span.end(time);
        }
    }
}
