package dev.rlm.sinks.otel.mapping;

import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.RecordSchema;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Mapping of runs and steps to attributes and events of their spans. {@code OpenSpans} sees to ids, parents and times.
 */
public final class RunMapping {
    static final int TASK_CHARACTERS = 500;
    static final int TEXT_CHARACTERS = 1_000;

    private static final int LINE_CHARACTERS = 100;
    private static final long MICRO = 1_000;
    private static final List<EventField> CORRELATION =
            RecordSchema.of(Correlation.class).components();

    private final ContentCapture capture;
    private final @Nullable SpanNaming names;
    private final boolean conversation;
    private final @Nullable MlflowColumns mlflow;

    /**
     * @param langfuse whether the back end is Langfuse, which shows task and answer only as a conversation; others get
     *     that with full content alone, because it fills what they show of a run
     * @param mlflow whether it is MLflow, which has attributes of its own
     */
    public RunMapping(ContentCapture capture, SpanNames names, boolean langfuse, boolean mlflow) {
        this.capture = capture;
        this.names = names == SpanNames.SEMANTIC ? new SpanNaming() : null;
        this.conversation = langfuse || capture == ContentCapture.FULL;
        this.mlflow = mlflow ? new MlflowColumns() : null;
    }

    /** Returns the part of a run's task that is sent; empty if nothing is. */
    public Optional<String> task(RunInfo run) {
        return capture.of(run.task(), TASK_CHARACTERS);
    }

    /** Its beginning alone, also in full: task and answer leave no room in a request of 4 MiB. */
    private Optional<String> expected(RunInfo run, int characters) {
        return Optional.ofNullable(run.expectedAnswer())
                .map(text -> capture.beginning(text, characters))
                .filter(text -> !text.isEmpty());
    }

    public void runStarted(Span span, RunInfo run, Optional<String> task) {
        if (names != null && run.originalSpan() == null) {
            names.run(span, run);
        }
        SpanAttributes fields = identity(SpanAttributes.of(span), run)
                .set(Names.MAX_STEPS, run.maxSteps())
                .set(Names.SEED, run.seed())
                .set(Names.PASS_REWARD, run.passReward())
                .set(GenAi.OPERATION, GenAi.INVOKE_AGENT)
                .set(GenAi.AGENT, run.agent())
                .set(GenAi.AGENT_VERSION, run.agentVersion())
                .set(GenAi.CONVERSATION, conversation(run))
                .all(Names.TAG, run.tags());
        correlation(fields, run.correlation());
        task.ifPresent(text -> fields.text(Names.TASK, text));
        expected(run, TASK_CHARACTERS).ifPresent(text -> fields.text(Names.EXPECTED_ANSWER, text));
        task.filter(text -> conversation && !text.isEmpty())
                .flatMap(text -> Messages.text("user", text, null, capture.maxBytesAgain()))
                .ifPresent(json -> fields.text(GenAi.INPUT_MESSAGES, json));
        if (mlflow != null) {
            mlflow.runStarted(span, run, task);
        }
    }

    /** The marker's: enough to find the run by while it runs, and to know it. */
    public void marker(Span span, RunInfo run, Optional<String> task) {
        SpanAttributes fields =
                identity(SpanAttributes.of(span), run).set(Names.MARKER, true).all(Names.TAG, run.tags());
        correlation(fields, run.correlation());
        fields.set(Names.TASK, task.orElse(null)); // not the whole once more where content is full
    }

    public void stepStarted(Span span, Attributes identity, StepStarted step) {
        span.setAllAttributes(identity);
        SpanAttributes.of(span)
                .set(Names.STEP, step.step())
                .set(Names.PARENT_STEP, step.parentStep() == StepStarted.NO_STEP ? null : step.parentStep());
        if (mlflow != null) {
            mlflow.stepStarted(span);
        }
    }

    public void stepEnded(OpenSpan open, StepEnded step) {
        Span span = open.span();
        if (names != null) {
            names.step(span, step, open.tool());
        }
        SpanAttributes fields = SpanAttributes.of(span)
                .set(Names.ACTION_TYPE, step.actionType().isEmpty() ? null : step.actionType())
                .set(Names.SUCCESS, step.success())
                .set(Names.CUMULATIVE_REWARD, step.cumulativeReward())
                .set(Names.STATE_BEFORE, step.stateBefore())
                .set(Names.STATE_AFTER, step.stateAfter())
                .all(Names.TAG, step.tags());
        if (!Double.isNaN(step.reward())) { // absent
            fields.set(Names.REWARD, step.reward());
        }
        Instant time = step.time();
        Optional<String> code = text(step.code());
        Optional<String> output = text(step.output());
        code.ifPresent(text -> span.addEvent(Names.EVENT_CODE, Attributes.of(Names.CODE, text), time));
        output.ifPresent(text -> span.addEvent(Names.EVENT_OUTPUT, Attributes.of(Names.OUTPUT, text), time));
        if (mlflow != null) {
            mlflow.stepEnded(fields, step.actionType(), code, output);
        }
        if (step.success()) {
            span.setStatus(StatusCode.OK);
        } else {
            fields.set(Names.ERROR_TYPE, step.errorType() == null ? "step_failed" : step.errorType());
            span.setStatus(StatusCode.ERROR, capture.error(step.error()));
        }
    }

    public void runEnded(Span span, RunEnded end) {
        SpanAttributes fields = ending(SpanAttributes.of(span), end);
        Optional<String> answer = end.finalAnswer() == null ? Optional.empty() : text(end.finalAnswer());
        result(span, end, answer);
        answer.ifPresent(text -> finalAnswer(span, fields, end, text));
        if (end.error() != null) {
            exception(span, end, end.error());
        }
        if (end.outcome() == Outcome.COMPLETED) {
            span.setStatus(StatusCode.OK);
        } else {
            span.setStatus(
                    StatusCode.ERROR,
                    capture.error(Content.redacted(end.status().message())));
        }
        if (mlflow != null) {
            mlflow.runEnded(fields, end, answer);
        }
    }

    /** Marks a span whose own end never came. */
    public static void aborted(Span span, String errorType) {
        span.setAttribute(Names.ERROR_TYPE, errorType);
        span.setStatus(StatusCode.ERROR, "not ended by the run itself");
    }

    /** Sets the attributes of a run's end, without its texts. */
    public static SpanAttributes ending(SpanAttributes fields, RunEnded end) {
        fields.set(Names.COMPLETED, end.outcome() == Outcome.COMPLETED && !end.truncated())
                .set(Names.SOLVED, end.isSolved(null))
                .set(Names.OUTCOME, end.outcome().label())
                .set(Names.STATUS_CODE, end.status().code())
                .set(Names.TERMINATION_REASON, end.terminationReason())
                .set(Names.TRUNCATED, end.truncated())
                .set(Names.TOTAL_STEPS, end.steps())
                .set(Names.TOTAL_REWARD, end.hasReward() ? (Double) end.totalReward() : null)
                .set(Names.ABSENT_REWARDS, end.absentRewards() == 0 ? null : end.absentRewards())
                .set(Names.STATE_INITIAL, end.initialState())
                .set(Names.RUN_PATH, end.runPath())
                .set(Names.ERROR_TYPE, end.outcome() == Outcome.COMPLETED ? null : errorType(end));
        end.metrics().forEach((name, value) -> fields.any(Names.METRIC + name, value));
        return fields;
    }

    /** In a line what came of the run, at its start: pages that sort events by time show the first few. */
    private void result(Span span, RunEnded end, Optional<String> answer) {
        AttributesBuilder attributes =
                Attributes.builder().put(Names.RESULT_OUTCOME, end.outcome().label());
        Boolean solved = end.isSolved(null);
        if (solved != null) {
            attributes.put(Names.RESULT_SOLVED, solved);
        }
        if (end.hasReward() && end.absentRewards() == 0 && Double.isFinite(end.totalReward())) {
            attributes.put(Names.RESULT_REWARD, end.totalReward());
        }
        answer.ifPresent(
                text -> attributes.put(Names.ANSWER, Content.redacted(text).preview(LINE_CHARACTERS)));
        expected(end.run(), TEXT_CHARACTERS)
                .ifPresent(text -> attributes.put(
                        Names.RESULT_EXPECTED, Content.redacted(text).preview(LINE_CHARACTERS)));
        span.addEvent(Names.EVENT_RESULT, attributes.build(), end.run().startedAt());
    }

    private void finalAnswer(Span span, SpanAttributes fields, RunEnded end, String answer) {
        span.addEvent(Names.EVENT_FINAL_ANSWER, Attributes.of(Names.ANSWER, answer), lastMoment(end));
        if (conversation) {
            Messages.text("assistant", answer, finishReason(end), capture.maxBytesAgain())
                    .ifPresent(json -> fields.text(GenAi.OUTPUT_MESSAGES, json));
        }
    }

    /** The end in whole microseconds from the start: Jaeger cuts both to them, and hides what then lies beyond. */
    private static Instant lastMoment(RunEnded end) {
        return end.run().at(end.nanos() / MICRO * MICRO);
    }

    private static String finishReason(RunEnded end) {
        return end.terminationReason() == null ? "stop" : end.terminationReason();
    }

    public static String errorType(RunEnded end) {
        return end.errorType() == null ? end.outcome().label() : end.errorType();
    }

    private void exception(Span span, RunEnded end, Content stackTrace) {
        AttributesBuilder attributes = Attributes.builder().put(Names.EXCEPTION_TYPE, errorType(end));
        String message = capture.beginning(Content.redacted(end.status().message()), TEXT_CHARACTERS);
        if (!message.isEmpty()) {
            attributes.put(Names.EXCEPTION_MESSAGE, message);
        }
        text(stackTrace).ifPresent(trace -> attributes.put(Names.EXCEPTION_STACKTRACE, trace));
        span.addEvent(Names.EVENT_EXCEPTION, attributes.build(), lastMoment(end));
    }

    /** Returns the attributes of a file: name, type, size and digest, never its content. */
    public static Attributes artifact(ArtifactSaved file) {
        AttributesBuilder attributes = Attributes.builder();
        SpanAttributes.of(attributes)
                .set(Names.ARTIFACT_NAME, file.name())
                .set(Names.ARTIFACT_MEDIA_TYPE, file.mediaType())
                .set(Names.ARTIFACT_SIZE, file.size())
                .set(Names.ARTIFACT_SHA256, file.sha256().isEmpty() ? null : file.sha256())
                .set(Names.ARTIFACT_ABSENCE, file.absence());
        return attributes.build();
    }

    private Optional<String> text(Content content) {
        return text(content, capture);
    }

    /** Returns the part of a text about a run that is sent; empty if nothing is. */
    public static Optional<String> text(Content content, ContentCapture capture) {
        return content.isEmpty() ? Optional.empty() : capture.of(content, TEXT_CHARACTERS);
    }

    /** Sets the attributes that every span has, so that one that has lost its run is still found. */
    public static SpanAttributes identity(SpanAttributes fields, RunInfo run) {
        return fields.set(Names.RUN_ID, run.runId())
                .set(Names.ENVIRONMENT, run.environment())
                .set(Names.MODEL, run.model());
    }

    /**
     * Sets the attributes that every span below a run or step has:
     * {@linkplain #identity(SpanAttributes, RunInfo) those of the run}, and the step's number.
     */
    static SpanAttributes identity(SpanAttributes fields, RunEvent event) {
        return identity(fields, event.run()).set(Names.STEP, event.step() == RunEvent.NO_STEP ? null : event.step());
    }

    /** The same for a run's steps, which are many. */
    public static Attributes identity(RunInfo run) {
        AttributesBuilder attributes = Attributes.builder();
        identity(SpanAttributes.of(attributes), run);
        return attributes.build();
    }

    /** The rollout where there is one: its attempts are one conversation. */
    static String conversation(RunInfo run) {
        String rollout = run.correlation().rollout();
        return rollout == null ? run.runId() : rollout;
    }

    /** The ids under which others know the run, where they are known, by the names that the journal gives them. */
    public static SpanAttributes correlation(SpanAttributes fields, Correlation ids) {
        CORRELATION.forEach(id -> fields.any(Names.PREFIX + id.name(), id.get(ids)));
        return fields;
    }
}
