package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.otel.mapping.ContentCapture;
import dev.rlm.sinks.otel.mapping.GenAi;
import dev.rlm.sinks.otel.mapping.Names;
import dev.rlm.sinks.otel.mapping.RewardMapping;
import dev.rlm.sinks.otel.mapping.RunMapping;
import dev.rlm.sinks.otel.mapping.SpanAttributes;
import dev.rlm.sinks.otel.mapping.TextLimits;
import dev.rlm.sinks.otel.metrics.Instruments;
import io.opentelemetry.api.logs.LogRecordBuilder;
import io.opentelemetry.api.logs.Logger;
import io.opentelemetry.api.logs.LoggerBuilder;
import io.opentelemetry.api.logs.LoggerProvider;
import io.opentelemetry.api.logs.Severity;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The log records of runs: one of each end, and as is chosen one of each reward and heartbeat, at the event's time and in
 * the context of the span that it belongs to. They carry the names that spans carry. On the lane only.
 */
final class RunLogs {
    private final Logger logger;
    private final ContentCapture capture;
    private final RewardMapping rewards;
    private final Set<Kind> chosen;

    RunLogs(LoggerProvider provider, ContentCapture capture, @Nullable String schemaUrl, Set<Kind> chosen) {
        LoggerBuilder loggers = provider.loggerBuilder(Names.SCOPE);
        logger = (schemaUrl == null ? loggers : loggers.setSchemaUrl(schemaUrl)).build();
        this.capture = capture;
        rewards = new RewardMapping(capture);
        this.chosen = chosen.isEmpty() ? Set.of() : EnumSet.copyOf(chosen);
    }

    void runEnded(RunEnded end, Span run) {
        Severity severity = severity(end);
        Kind kind = end.outcome() == Outcome.ABANDONED ? Kind.ABANDONED : Kind.ENDS;
        if (!isWanted(kind, severity, run)) {
            return;
        }
        String message = capture.error(Content.redacted(end.status().message())).strip();
        LogRecordBuilder log = log(Names.LOG_FINISHED, severity, end, run);
        SpanAttributes fields =
                RunMapping.ending(fields(log, end), end).set(Names.RUN_DURATION, Instruments.seconds(end.duration()));
        if (capture != ContentCapture.NONE) {
            texts(fields, end);
        }
        log.setBody(line(end.outcome().label() + (message.isEmpty() ? "" : ": " + message)))
                .emit();
    }

    /** The status in full. Its details may hold anything, and come last: they are the first beyond a limit. */
    private void texts(SpanAttributes fields, RunEnded end) {
        Content message = Content.redacted(end.status().message());
        RunMapping.text(message, capture).ifPresent(text -> fields.text(Names.STATUS_MESSAGE, text));
        end.status()
                .details()
                .forEach((name, value) -> fields.any(
                        Names.STATUS_DETAIL + name,
                        capture == ContentCapture.HASH ? capture.error(Content.redacted(value)) : value));
    }

    private static Severity severity(RunEnded end) {
        return switch (end.outcome()) {
            case COMPLETED -> Severity.INFO;
            case ABORTED -> Severity.WARN;
            case FAILED, ABANDONED -> Severity.ERROR;
        };
    }

    /** The span is that of the step or run that the reward was given to. */
    void rewardGiven(RewardGiven reward, Span span) {
        if (isWanted(Kind.REWARDS, Severity.INFO, span)) {
            LogRecordBuilder log = log(GenAi.EVENT_EVALUATION, Severity.INFO, reward, span);
            fields(log, reward).set(Names.STEP, reward.step() == RewardGiven.NO_STEP ? null : reward.step());
            String value = reward.isAbsent() ? "absent" : Double.toString(reward.value());
            log.setAllAttributes(rewards.event(reward))
                    .setBody(line("reward " + value + " by " + reward.source()))
                    .emit();
        }
    }

    /**
     * Tells that a run goes on.
     *
     * @param rewarded whether it has been given a reward
     */
    void heartbeat(Heartbeat beat, Span run, boolean rewarded) {
        if (isWanted(Kind.HEARTBEATS, Severity.INFO, run)) {
            LogRecordBuilder log = log(Names.LOG_HEARTBEAT, Severity.INFO, beat, run);
            fields(log, beat)
                    .set(Names.STATUS_CODE, beat.status().code())
                    .set(Names.TOTAL_STEPS, beat.steps())
                    .set(Names.TOTAL_REWARD, rewarded ? (Double) beat.totalReward() : null);
            String reward = rewarded ? ", reward " + beat.totalReward() : "";
            log.setBody("running: " + beat.steps() + " steps" + reward).emit();
        }
    }

    private boolean isWanted(Kind kind, Severity severity, Span span) {
        return chosen.contains(kind)
                && logger.isEnabled(severity, Context.root().with(span));
    }

    private LogRecordBuilder log(String name, Severity severity, RunEvent event, Span span) {
        return logger.logRecordBuilder()
                .setEventName(name)
                .setSeverity(severity)
                .setSeverityText(severity.name())
                .setTimestamp(event.time())
                .setContext(Context.root().with(span));
    }

    /** Sets the attributes that identify the event's run, and its correlation ids. */
    private static SpanAttributes fields(LogRecordBuilder log, RunEvent event) {
        SpanAttributes fields = RunMapping.identity(SpanAttributes.of(log), event.run());
        return RunMapping.correlation(fields, event.run().correlation());
    }

    private static String line(String text) {
        return TextLimits.name(text.replaceAll("\\s+", " "));
    }

    /** Kinds of log records. */
    enum Kind {
        /** Ends of runs, but for {@link #ABANDONED}. */
        ENDS,
        /** Ends of runs whose process died. */
        ABANDONED,
        REWARDS,
        HEARTBEATS
    }
}
