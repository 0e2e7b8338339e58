package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.SinkStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A question to a sink whether it could deliver now; one that was given up is not asked. */
final class Check {
    private static final Duration GRACE = Duration.ofMillis(500);

    private final Lane lane;
    private final BoundedCall.@Nullable Question<Health> question;

    private Check(Lane lane, BoundedCall.@Nullable Question<Health> question) {
        this.lane = lane;
        this.question = question;
    }

    static Check start(Lane lane, Duration timeout) {
        GuardedSink sink = lane.sinkInService();
        return new Check(lane, sink == null ? null : sink.check(timeout));
    }

    /** The answer, which may come a little after the time that the sink was given: it may say what it has waited for. */
    SinkStatus await(long by) {
        return question == null ? lane.status() : lane.status(question.await(by + GRACE.toNanos()));
    }
}
