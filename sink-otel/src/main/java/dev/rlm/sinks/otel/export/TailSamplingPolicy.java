package dev.rlm.sinks.otel.export;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import java.util.Optional;

/**
 * Rule of which runs are sent with all their spans: those that failed or stand out, and a share of the others.
 *
 * <p>The share is chosen by the trace id, as OpenTelemetry's <a
 * href="https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/">consistent probability
 * sampling</a> does with what <a href="https://www.w3.org/TR/trace-context-2/#randomness-of-trace-id">W3C Trace
 * Context</a> says of ids: the last seven bytes are a number R, and a trace is chosen where R is at least (1 - ratio) ·
 * 2^56. So every process answers alike, for all runs of a trace, and a trace that is chosen for a small share is chosen
 * for a larger one.
 *
 * @param ratio the share, from 0 to 1
 * @param lowest the total reward below which a run stands out
 * @param highest the total reward above which a run stands out
 */
public record TailSamplingPolicy(double ratio, double lowest, double highest) {
    /** Keeps every run. */
    public static final TailSamplingPolicy ALL =
            new TailSamplingPolicy(1, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);

    private static final String RATIO = "SUCCESS_RATIO";
    private static final String REWARD = "KEEP_REWARD";
    private static final String TO = "..";
    private static final long RANDOM_VALUES = 1L << 56;
    private static final int RANDOM_DIGITS = 14; // hexadecimal

    public TailSamplingPolicy {
        if (!(0 <= ratio && ratio <= 1)) {
            throw new IllegalArgumentException("the success ratio must be from 0 to 1, was " + ratio);
        } else if (!(lowest <= highest)) {
            throw new IllegalArgumentException(
                    "the lowest reward must be at most the highest, was " + lowest + TO + highest);
        }
    }

    public TailSamplingPolicy withRatio(double value) {
        return new TailSamplingPolicy(value, lowest, highest);
    }

    public TailSamplingPolicy withReward(double from, double to) {
        return new TailSamplingPolicy(ratio, from, to);
    }

    /** Reads the sink's {@code SUCCESS_RATIO} and {@code KEEP_REWARD}; {@link #ALL} unless set. */
    public static TailSamplingPolicy of(SinkConfig config) {
        double ratio = config.string(RATIO)
                .map(text -> number(text)
                        .filter(value -> 0 <= value && value <= 1)
                        .orElseThrow(() -> config.invalid(RATIO, "a number from 0 to 1")))
                .orElse(ALL.ratio);
        return config.string(REWARD)
                .map(text -> range(text)
                        .orElseThrow(() ->
                                config.invalid(REWARD, "lo..hi, lo being at most hi, such as 0..0.9, ..0.5 or 0.5..")))
                .orElse(ALL)
                .withRatio(ratio);
    }

    private static Optional<TailSamplingPolicy> range(String text) {
        int at = text.indexOf(TO);
        if (at < 0 || text.length() == TO.length()) {
            return Optional.empty();
        }
        Optional<Double> from = at == 0 ? Optional.of(ALL.lowest) : number(text.substring(0, at));
        String end = text.substring(at + TO.length());
        Optional<Double> to = end.isEmpty() ? Optional.of(ALL.highest) : number(end);
        return from.flatMap(lo -> to.filter(hi -> lo <= hi).map(hi -> ALL.withReward(lo, hi)));
    }

    private static Optional<Double> number(String text) {
        try {
            return Optional.of(Double.valueOf(text)).filter(Double::isFinite);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Returns whether the policy may leave out runs. */
    public boolean isPartial() {
        return ratio < 1;
    }

    /** Returns whether the run is kept however it ends: it is a later attempt, or its trace is in the share. */
    boolean keepsFromStart(RunInfo run, String traceId) {
        Integer attempt = run.correlation().attempt();
        return !isPartial() || (attempt != null && attempt > 1) || chooses(traceId);
    }

    private boolean chooses(String traceId) {
        long random = Long.parseLong(traceId.substring(traceId.length() - RANDOM_DIGITS), 16);
        return random >= RANDOM_VALUES - Math.round(ratio * RANDOM_VALUES);
    }

    private boolean isWithin(double reward) {
        return lowest <= reward && reward <= highest;
    }

    /** Returns whether a run that was not kept from its start is kept because of its end. */
    boolean keeps(RunEnded end) {
        return end.outcome() != Outcome.COMPLETED
                || end.absentRewards() > 0
                || end.status().code() == RunStatus.SCORE_INVALID
                || (end.hasReward() && !isWithin(end.totalReward())); // also one that is no number
    }
}
