package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which event becomes what on which span. The spans' ids, parents and lengths are the business of {@link OpenSpans}. */
final class RunMapping {
    private static final int TASK_CHARACTERS = 500;
    private static final int TEXT_CHARACTERS = 1_000;
    private static final int ERROR_CHARACTERS = 200;

    private final ContentCapture capture;

    RunMapping(ContentCapture capture) {
        this.capture = capture;
    }

    void runStarted(Span span, RunInfo run) {
        identity(span, run);
        capture.of(run.task(), TASK_CHARACTERS).ifPresent(task -> span.setAttribute(Names.TASK, task));
        span.setAttribute(Names.MAX_STEPS, (long) run.maxSteps());
        set(span, Names.SEED, run.seed());
        correlation(span, run.correlation());
        run.tags().forEach((name, value) -> span.setAttribute(Names.TAG + name, value));
        String rollout = run.correlation().rollout();
        span.setAttribute(Names.GEN_AI_OPERATION, "invoke_agent");
        span.setAttribute(Names.GEN_AI_AGENT, run.environment());
        span.setAttribute(Names.GEN_AI_CONVERSATION, rollout == null ? run.runId() : rollout);
    }

    void stepStarted(Span span, StepStarted step) {
        identity(span, step.run());
        span.setAttribute(Names.STEP, (long) step.step());
        if (step.parentStep() != StepStarted.NO_STEP) {
            span.setAttribute(Names.PARENT_STEP, (long) step.parentStep());
        }
    }

    void rewardGiven(Span span, RewardGiven reward) {
        AttributesBuilder attributes = Attributes.builder().put(Names.EVALUATION_NAME, reward.source());
        if (reward.absence() == null) {
            attributes.put(Names.EVALUATION_SCORE, reward.value());
        } else {
            attributes.put(Names.ERROR_TYPE, "absent").put(Names.EVALUATION_EXPLANATION, reward.absence());
        }
        reward.components()
                .forEach(component -> attributes.put(Names.REWARD_COMPONENT + component.name(), component.value()));
        span.addEvent(Names.EVENT_EVALUATION, attributes.build(), reward.time());
    }

    void stepEnded(Span span, StepEnded step) {
        span.setAttribute(Names.ACTION_TYPE, step.actionType());
        span.setAttribute(Names.SUCCESS, step.success());
        span.setAttribute(Names.CUMULATIVE_REWARD, step.cumulativeReward());
        if (!Double.isNaN(step.reward())) {
            span.setAttribute(Names.REWARD, step.reward());
        }
        set(span, Names.STATE_BEFORE, step.stateBefore());
        set(span, Names.STATE_AFTER, step.stateAfter());
        step.tags().forEach((name, value) -> span.setAttribute(Names.TAG + name, value));
        text(step.code())
                .ifPresent(code -> span.addEvent(Names.EVENT_CODE, Attributes.of(Names.CODE, code), step.time()));
        text(step.output())
                .ifPresent(
                        output -> span.addEvent(Names.EVENT_OUTPUT, Attributes.of(Names.OUTPUT, output), step.time()));
        if (step.success()) {
            span.setStatus(StatusCode.OK);
        } else {
            span.setAttribute(Names.ERROR_TYPE, "step_failed");
            span.setStatus(StatusCode.ERROR, error(step.error()));
        }
    }

    void runEnded(Span span, RunEnded end) {
        span.setAttribute(Names.COMPLETED, end.outcome() == Outcome.COMPLETED);
        span.setAttribute(Names.SOLVED, end.solved());
        span.setAttribute(Names.OUTCOME, end.outcome().label());
        span.setAttribute(Names.STATUS_CODE, (long) end.status().code());
        set(span, Names.TERMINATION_REASON, end.terminationReason());
        span.setAttribute(Names.TRUNCATED, end.truncated());
        span.setAttribute(Names.TOTAL_STEPS, (long) end.steps());
        span.setAttribute(Names.TOTAL_REWARD, end.totalReward());
        if (end.absentRewards() > 0) {
            span.setAttribute(Names.ABSENT_REWARDS, (long) end.absentRewards());
        }
        set(span, Names.RUN_PATH, end.runPath());
        end.metrics().forEach((name, value) -> span.setAttribute(Names.METRIC + name, value));
        if (end.finalAnswer() != null) {
            text(end.finalAnswer())
                    .ifPresent(answer ->
                            span.addEvent(Names.EVENT_FINAL_ANSWER, Attributes.of(Names.ANSWER, answer), end.time()));
        }
        if (end.error() != null) {
            exception(span, end, end.error());
        }
        if (end.outcome() == Outcome.COMPLETED) {
            span.setStatus(StatusCode.OK);
        } else {
            span.setAttribute(Names.ERROR_TYPE, errorType(end));
            span.setStatus(StatusCode.ERROR, error(Content.redacted(end.status().message())));
        }
    }

    private static String errorType(RunEnded end) {
        return end.errorType() == null ? end.outcome().label() : end.errorType();
    }

    private void exception(Span span, RunEnded end, Content stackTrace) {
        AttributesBuilder attributes = Attributes.builder().put(Names.EXCEPTION_TYPE, errorType(end));
        text(stackTrace).ifPresent(trace -> attributes.put(Names.EXCEPTION_STACKTRACE, trace));
        span.addEvent(Names.EVENT_EXCEPTION, attributes.build(), end.time());
    }

    private Optional<String> text(Content content) {
        return content.isEmpty() ? Optional.empty() : capture.of(content, TEXT_CHARACTERS);
    }

    private String error(@Nullable Content error) {
        return error == null || capture == ContentCapture.NONE ? "" : error.preview(ERROR_CHARACTERS);
    }

    private static void identity(Span span, RunInfo run) {
        span.setAttribute(Names.RUN_ID, run.runId());
        span.setAttribute(Names.ENVIRONMENT, run.environment());
        span.setAttribute(Names.MODEL, run.model());
    }

    private static void correlation(Span span, Correlation ids) {
        set(span, Names.EXPERIMENT, ids.experiment());
        set(span, Names.INVOCATION, ids.invocation());
        set(span, Names.ROLLOUT, ids.rollout());
        set(span, Names.TRAINER_RUN, ids.trainerRun());
        set(span, Names.SAMPLE, ids.sample());
        set(span, Names.ROW, ids.row());
        set(span, Names.TRAJECTORY_INDEX, asLong(ids.trajectoryIndex()));
        set(span, Names.ATTEMPT, asLong(ids.attempt()));
        set(span, Names.EPOCH, asLong(ids.epoch()));
        set(span, Names.TRAIN_STEP, ids.trainStep());
        set(span, Names.SPLIT, ids.split());
        set(span, Names.POLICY_VERSION, ids.policyVersion());
        set(span, Names.CODE_VERSION, ids.codeVersion());
        set(span, Names.DATASET_VERSION, ids.datasetVersion());
        set(span, Names.PARENT_RUN, ids.parentRun());
    }

    private static @Nullable Long asLong(@Nullable Integer value) {
        return value == null ? null : value.longValue();
    }

    private static <T> void set(Span span, AttributeKey<T> key, @Nullable T value) {
        if (value != null) {
            span.setAttribute(key, value);
        }
    }
}
