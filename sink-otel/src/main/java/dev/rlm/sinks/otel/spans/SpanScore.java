package dev.rlm.sinks.otel.spans;

import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.otel.mapping.GenAi;
import dev.rlm.sinks.otel.mapping.Names;
import dev.rlm.sinks.otel.mapping.RewardMapping;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A reward, or the total of a run, on its way to a vendor that shows scores at spans. It has the same id whenever and
 * from whichever process it is sent.
 *
 * @param name by which the vendor shows it
 * @param events how many events count with it
 * @param onTrace whether it is the run's, and the trace is that run's alone
 * @param facts what is told of it: that of its {@linkplain RewardMapping#event event}
 * @param missedSince since when the vendor is known to have no such span, in terms of {@link System#nanoTime}; 0 where it is not
 */
public record SpanScore(
        String name,
        int events,
        String id,
        String traceId,
        String spanId,
        boolean onTrace,
        String runId,
        int step,
        Attributes facts,
        AtomicLong missedSince) {

    public static SpanScore of(RewardGiven reward, SpanContext target, Attributes facts) {
        String runId = reward.run().runId();
        String own = Ids.of(runId).traceId();
        boolean ofRun = reward.step() == RunEvent.NO_STEP;
        return new SpanScore(
                "reward",
                1,
                id(own, Long.toString(reward.seq())),
                target.getTraceId(),
                target.getSpanId(),
                ofRun && own.equals(target.getTraceId()),
                runId,
                reward.step(),
                facts,
                new AtomicLong());
    }

    /**
     * Returns a run's total, for vendors whose row of a run shows no rewards of its steps; {@code null} where the run was given no
     * reward. It counts with the run's span.
     */
    public static @Nullable SpanScore total(RunEnded end, SpanContext target) {
        Boolean solved = end.isSolved(null);
        if (solved == null) {
            return null;
        }
        String runId = end.run().runId();
        String own = Ids.of(runId).traceId();
        AttributesBuilder facts = Attributes.builder()
                .put(GenAi.EVALUATION_LABEL, solved ? "solved" : "unsolved")
                .put(Names.OUTCOME, end.outcome().label());
        if (end.hasReward() && end.absentRewards() == 0 && Double.isFinite(end.totalReward())) {
            facts.put(GenAi.EVALUATION_SCORE, end.totalReward());
        }
        return new SpanScore(
                "total_reward",
                0,
                id(own, "total"),
                target.getTraceId(),
                target.getSpanId(),
                own.equals(target.getTraceId()),
                runId,
                RunEvent.NO_STEP,
                facts.build(),
                new AtomicLong());
    }

    private static String id(String trace, String item) {
        return "rlm-" + trace + "-" + item;
    }

    /** Returns for how many nanoseconds the vendor has been known to have no such span. */
    public long missedFor(long now) {
        missedSince.compareAndSet(0, now);
        return now - missedSince.get();
    }

    /** The reward; {@code null} where it is absent or infinite. */
    public @Nullable Double value() {
        return facts.get(GenAi.EVALUATION_SCORE);
    }

    /** Its label; where it has no value, that it is {@code absent} or {@code infinite}. */
    public @Nullable String label() {
        String label = facts.get(GenAi.EVALUATION_LABEL);
        String missing = facts.get(Names.ERROR_TYPE);
        return missing == null ? label : missing;
    }

    public @Nullable String explanation() {
        return facts.get(GenAi.EVALUATION_EXPLANATION);
    }

    /** {@code code}, {@code model} or {@code person}. */
    public String kind() {
        String kind = facts.get(Names.REWARD_KIND);
        return kind == null ? "code" : kind;
    }
}
