package dev.rlm.engine.spark;

import dev.rlm.engine.EpisodeResult;
import dev.rlm.engine.JobDescription;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.event.StandaloneSpanRecordedBuilder;
import dev.rlm.sinks.event.TraceContext;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Span of an episode, {@code rlm.episode}, in which the runs of all its attempts lie, whichever process made them. Its record tells
 * which attempt was accepted.
 */
final class EpisodeSpan {
    private static final String PREFIX = "rlm.episode.";
    private static final String SAMPLED = "01";

    private final String invocation;
    private final int place;
    private final String traceId;
    private final String spanId = random();
    private final @Nullable String parentSpanId;
    private final String flags;

    private EpisodeSpan(String invocation, int place, @Nullable String parent) {
        String[] ids = parent == null ? new String[] {"", random() + random(), "", SAMPLED} : parent.split("-", -1);
        this.invocation = invocation;
        this.place = place;
        this.traceId = ids[1];
        this.parentSpanId = parent == null ? null : ids[2];
        this.flags = ids[3];
    }

    /** Starts the span of the episode at that place: in the trace that the job was handed, else in one of its own. */
    static EpisodeSpan of(JobDescription job, int place) {
        return new EpisodeSpan(
                job.invocation(), place, TraceContext.from(job.parent()).traceparent());
    }

    private static String random() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE));
    }

    String traceparent() {
        return "00-" + traceId + "-" + spanId + "-" + flags;
    }

    /**
     * Ends it with the attempt that was accepted, the last of that outcome.
     *
     * @param lost how many tasks have made attempts that were not accepted
     */
    StandaloneSpanRecorded accepted(long startNanos, int lost, EpisodeOutcome outcome) {
        EpisodeResult last = outcome.results().get(outcome.results().size() - 1);
        Map<String, Object> attributes = new LinkedHashMap<>();
        attributes.put("rlm.invocation_id", invocation);
        attributes.put(PREFIX + "place", place);
        attributes.put(PREFIX + "attempt", outcome.lastAttempt());
        attributes.put(PREFIX + "run_id", last.runId()); // rlm.run_id is what spans of the run have
        attributes.put(PREFIX + "outcome", last.outcome().label());
        attributes.put(PREFIX + "executor", outcome.executor());
        attributes.put(PREFIX + "lost", lost);
        return StandaloneSpanRecordedBuilder.builder()
                .time(Instant.now())
                .name("rlm.episode")
                .durationNanos(Math.max(0, System.nanoTime() - startNanos))
                .traceId(traceId)
                .spanId(spanId)
                .parentSpanId(parentSpanId)
                .attributes(attributes)
                .build();
    }
}
