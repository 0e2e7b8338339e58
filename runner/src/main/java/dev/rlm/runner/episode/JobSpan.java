package dev.rlm.runner.episode;

import dev.rlm.engine.JobLimits;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.event.TraceContext;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Span of a whole job, {@code rlm.job}, to which its runs link, and below it spans of what its workers wait for outside of steps: of
 * what takes at least a tenth of a second, the first thousand. Safe for use by several threads.
 */
public final class JobSpan {
    /** The wait for the record to catch up before a run. */
    static final String AWAIT_ROOM = "rlm.job.await_room";

    /** Span of a job that is not recorded. */
    public static final JobSpan NONE = new JobSpan(Span.NOOP);

    /** Shortest time that is worth a span. */
    static final Duration LASTING = Duration.ofMillis(100);

    private static final int MOST = 1_000;
    private static final String PREFIX = "rlm.job.";

    private final Span span;
    private final @Nullable String traceparent;
    private final AtomicInteger recorded = new AtomicInteger();

    private JobSpan(Span span) {
        this.span = span;
        this.traceparent = span.traceContext().map(TraceContext::traceparent).orElse(null);
    }

    /**
     * Starts the span of a job.
     *
     * @param size how many rollouts it has
     * @param ids of the job
     */
    public static JobSpan start(Sinks sinks, JobLimits limits, int size, Map<String, String> ids) {
        Span span = sinks.span("rlm.job");
        ids.forEach(span::attribute);
        span.attribute(PREFIX + "size", size).attribute(PREFIX + "retries", limits.retries());
        if (limits.concurrency() > 0) {
            span.attribute(PREFIX + "concurrency", limits.concurrency());
        }
        if (limits.maxFailures() > 0) {
            span.attribute(PREFIX + "max_failures", limits.maxFailures());
        }
        seconds(span, "timeout", limits.timeout());
        seconds(span, "step_timeout", limits.stepTimeout());
        return new JobSpan(span);
    }

    private static void seconds(Span span, String name, @Nullable Duration limit) {
        if (limit != null) {
            span.attribute(PREFIX + name, limit.toNanos() / 1e9);
        }
    }

    /** Returns the span for its runs to link to; {@code null} if it is not recorded. */
    public @Nullable String traceparent() {
        return traceparent;
    }

    /**
     * Ends it with what came of the job.
     *
     * @param interrupted whether it was told to end
     * @param stopped whether it ended before all of its rollouts, for whichever reason
     */
    public void end(JobCounts counts, boolean interrupted, boolean stopped) {
        span.attribute(PREFIX + "ended", counts.ended())
                .attribute(PREFIX + "failed", counts.failed())
                .attribute(PREFIX + "solved", counts.solved());
        if (Double.isFinite(counts.meanReward())) {
            span.attribute(PREFIX + "mean_reward", counts.meanReward());
        }
        String outcome = interrupted ? "interrupted" : stopped ? "stopped" : "completed";
        span.attribute(PREFIX + "outcome", outcome);
        if (interrupted) {
            span.fail("the job was stopped");
        } else if (stopped) {
            span.fail("too many rollouts have failed");
        }
        span.close();
    }

    /** Does what a worker waits for, and records it where it lasts. */
    <T> T timed(String name, Supplier<T> work) {
        long start = System.nanoTime();
        T result = work.get();
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        if (span.isRecording() && took.compareTo(LASTING) >= 0 && recorded.getAndIncrement() < MOST) {
            span.span(name, took).close();
        }
        return result;
    }
}
