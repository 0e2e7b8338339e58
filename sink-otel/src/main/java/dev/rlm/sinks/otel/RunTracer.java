package dev.rlm.sinks.otel;

import dev.rlm.sinks.Ledger;
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
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.otel.export.RewardScores;
import dev.rlm.sinks.otel.export.TailSamplingBuffer;
import dev.rlm.sinks.otel.mapping.CallMapping;
import dev.rlm.sinks.otel.mapping.ContentCapture;
import dev.rlm.sinks.otel.mapping.GenAiVersions;
import dev.rlm.sinks.otel.mapping.Names;
import dev.rlm.sinks.otel.mapping.OpenSpan;
import dev.rlm.sinks.otel.mapping.RewardMapping;
import dev.rlm.sinks.otel.mapping.RunMapping;
import dev.rlm.sinks.otel.mapping.SpanAttributes;
import dev.rlm.sinks.otel.metrics.Instruments;
import dev.rlm.sinks.otel.spans.OpenRun;
import dev.rlm.sinks.otel.spans.OwnSpan;
import dev.rlm.sinks.otel.spans.Part;
import dev.rlm.sinks.otel.spans.SpanScore;
import dev.rlm.sinks.schema.GatewayRuns;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import java.time.Instant;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
    private final Instruments unmeasured;
    private final RunLogs logs;
    private final DeliveryCounts counts;
    private final @Nullable TailSamplingBuffer held;
    private final @Nullable RewardScores scores;
    private final boolean genAiSpans;
    private final Set<Class<? extends RunEvent>> accountedElsewhere;

    /**
     * @param scores takes rewards too, and accounts for them; {@code null} where spans do
     * @param genAiSpans whether calls of models and tools are spans and are measured
     * @param accountedElsewhere kinds of events that no span accounts for
     */
    RunTracer(
            OpenSpans spans,
            RunMapping mapping,
            ContentCapture capture,
            GenAiVersions genAi,
            Instruments instruments,
            RunLogs logs,
            DeliveryCounts counts,
            @Nullable RewardScores scores,
            boolean genAiSpans,
            Set<Class<? extends RunEvent>> accountedElsewhere) {
        this.spans = spans;
        this.mapping = mapping;
        this.rewards = new RewardMapping(capture);
        this.calls = new CallMapping(capture, genAi);
        this.instruments = instruments;
        this.unmeasured = Instruments.none(genAi);
        this.logs = logs;
        this.counts = counts;
        this.held = spans.held();
        this.scores = scores;
        this.genAiSpans = genAiSpans;
        this.accountedElsewhere = accountedElsewhere;
    }

    /** For how many events it counts here. */
    private int count(RunEvent event) {
        return accountedElsewhere.contains(event.getClass()) ? 0 : 1;
    }

    /**
     * Returns whether the event comes after the end of its run or step, and counts it as lost if so. A reward is never
     * late.
     */
    boolean isLate(RunEvent event) {
        if (event instanceof RewardGiven) {
            return false;
        }
        boolean late = spans.isLate(event);
        if (late) {
            counts.dropped("late", count(event));
        }
        return late;
    }

    void runStarted(RunStarted event) {
        OpenRun known = spans.find(event.run());
        if (known != null && known.root().isDescribed()) {
            known.root().count(count(event)); // said again
        } else {
            open(event, count(event));
        }
        OpenRun run = spans.run(event.run());
        if (run.markCounted()) { // where a start was lost, or was another sink's, its end is not counted here either
            instruments(run).runStarted(run);
        }
    }

    void stepStarted(StepStarted event) {
        open(open(event), event).count(count(event));
    }

    void modelCalled(ModelCalled event) {
        open(event).countModelCall();
        if (genAiSpans) {
            OpenRun run = open(event);
            Span span = part(run, Part.of(event), event, s -> calls.modelCalled(s, event));
            instruments(run).modelCalled(event, spans.example(run, span));
        } else {
            inCourse(event);
        }
    }

    void toolCalled(ToolCalled event) {
        OpenRun run = open(event);
        run.countToolCall();
        OpenSpan step = run.findStep(event.step());
        if (step != null) {
            step.called(event.tool());
        }
        Span span = genAiSpans
                ? part(run, Part.of(event), event, s -> calls.toolCalled(s, event))
                : inCourse(event).span();
        instruments(run).toolCalled(event, spans.example(run, span));
    }

    void spanRecorded(SpanRecorded event) {
        OpenRun run = open(event);
        run.hadParts(event.seq());
        part(run, Part.of(event), event, s -> calls.spanRecorded(s, event));
    }

    void standaloneSpanRecorded(StandaloneSpanRecorded event) {
        Span span = spans.start(event);
        calls.standaloneSpanRecorded(span, event);
        spans.end(span, 1, null, event.startedAt(), event.time());
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
            run.rewarded();
            holder.addReward(rewards.event(event), event.time());
        }
        boolean hadParts = run.hadParts(event.seq());
        Span carrier = spans.isHolding(run) ? run.span() : holder.span();
        Span span;
        if (late || hadParts || event.startNanos() < event.nanos()) {
            span = part(run, Part.of(event), event, s -> {
                rewards.span(s, event);
                score(run, event, late && !spans.isHolding(run) ? s : carrier);
            });
        } else {
            holder.count(count(event));
            span = holder.span();
            score(run, event, carrier);
        }
        instruments(run).rewardGiven(event, run, spans.example(run, span));
        logs.rewardGiven(event, run.at(event.step()));
    }

    /** Has a span carry the reward to where the vendor takes rewards: one that is sure to be sent, and not before its target. */
    private void score(OpenRun run, RewardGiven event, Span carrier) {
        if (scores == null) {
            return;
        }
        Span target = spans.isHolding(run) ? run.current() : run.at(event.step());
        if (carrier instanceof OwnSpan sent && sent.isRecording()) {
            scores.give(SpanScore.of(event, target.getSpanContext(), rewards.event(event)), sent);
        } else {
            counts.dropped(Ledger.NOT_SAMPLED, 1);
        }
    }

    void heartbeat(Heartbeat event) {
        inCourse(event);
        OpenRun run = spans.run(event.run());
        logs.heartbeat(event, run.current(), run.isRewarded() || event.totalReward() != 0);
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
        OpenSpan step = run.findStep(event.step());
        return step == null ? run.root() : step;
    }

    void stepEnded(StepEnded event) {
        OpenRun run = open(event);
        OpenSpan step = open(run, event.started());
        step.addLastRewards();
        mapping.stepEnded(step, event);
        instruments(run).stepEnded(event, run, spans.example(run, step.span()));
        step.count(count(event)); // nothing that can go wrong comes between this and its end
        run.removeStep(event.step(), step.span());
        spans.end(step, run, event.time());
    }

    void runEnded(RunEnded event) {
        OpenRun run = open(event);
        run.root().addLastRewards();
        mapping.runEnded(run.span(), event);
        instruments(run).runEnded(event, run);
        logs.runEnded(event, run.current());
        if (scores != null && run.span() instanceof OwnSpan root) {
            SpanScore total = SpanScore.total(event, root.getSpanContext());
            if (total != null) {
                scores.give(total, root);
            }
        }
        run.root().count(count(event));
        Instant time = endSteps(run, event.time(), event.outcome() == Outcome.ABANDONED ? ABANDONED : ABORTED);
        if (held != null && held.isHolding(run.info()) && !held.settle(event)) {
            run.span().setAttribute(Names.DETAIL, "dropped");
        }
        end(run, time);
    }

    /** Ends what is open, children first, as aborted, at the time of the last that is known of it. */
    void abortAll() {
        spans.all().stream().filter(OpenRun::isStarted).toList().forEach(run -> {
            if (run.root().isNew()) { // a scope's, of which the lane never heard
                mapping.runStarted(run.span(), run.info(), mapping.task(run.info()));
            }
            RunMapping.aborted(run.span(), ABORTED);
            run.root().addLastRewards();
            Instant time = endSteps(run, run.lastEvent(), ABORTED);
            if (held != null) {
                held.release(run.info());
            }
            end(run, time);
        });
    }

    /** Sends what is known of runs that are left in their middle. */
    void keepAll() {
        if (held != null) {
            held.releaseAll();
        }
    }

    /** Returns the instruments of the run: none measure a run that is a part of another, which is measured. */
    private Instruments instruments(OpenRun run) {
        return GatewayRuns.isPart(run.info()) ? unmeasured : instruments;
    }

    private OpenRun open(RunEvent event) {
        return open(event, 0);
    }

    /** The run; where it is new, with its marker, which stands for so many events. */
    private OpenRun open(RunEvent event, int markedEvents) {
        OpenRun run = spans.run(event.run());
        run.saw(event.time());
        if (run.root().isNew()) {
            Optional<String> task = mapping.task(run.info());
            mapping.runStarted(run.span(), run.info(), task);
            Part marker = Part.marker(run.info());
            Span span = run.startPart(marker);
            mapping.marker(span, run.info(), task);
            spans.end(span, markedEvents, null, marker.start(), marker.start());
            SpanContext context = run.span().getSpanContext();
            if (held != null && context.isSampled()) {
                held.begin(run.info(), context.getTraceId());
            }
        }
        return run;
    }

    private OpenSpan open(OpenRun run, StepStarted event) {
        OpenSpan step = run.step(event);
        if (step.isNew()) {
            mapping.stepStarted(step.span(), run.identity(), event);
        }
        return step;
    }

    /** Makes a span that stands for the event, which came at its end. */
    private Span part(OpenRun run, Part part, RunEvent event, Consumer<Span> description) {
        Span span = run.startPart(part);
        description.accept(span);
        spans.end(span, count(event), run, part.start(), event.time());
        return span;
    }

    /** Ends the steps that are open, and returns the time at which the run can end. */
    private Instant endSteps(OpenRun run, Instant at, String errorType) {
        Instant time = OpenSpans.notBefore(run.latestStart(), at);
        run.openWork().forEach(work -> {
            RunMapping.identity(SpanAttributes.of(work.span()), run.info());
            RunMapping.aborted(work.span(), errorType);
            spans.end(work, run, time); // its own event never came
        });
        run.openSteps().stream()
                .map(OpenSpan::step)
                .filter(Objects::nonNull)
                .sorted(Comparator.comparingInt(StepStarted::step).reversed())
                .map(started -> open(run, started))
                .forEach(step -> {
                    step.addLastRewards();
                    RunMapping.aborted(step.span(), errorType);
                    spans.end(step, run, time);
                });
        return time;
    }

    private void end(OpenRun run, Instant time) {
        spans.remove(run);
        if (run.isCounted()) {
            instruments(run).runGone(run);
        }
        spans.end(run.root(), null, time); // which is always sent
    }
}
