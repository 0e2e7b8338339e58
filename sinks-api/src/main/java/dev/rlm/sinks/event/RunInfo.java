package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Description of a run, known from its start on; every {@link RunEvent} refers to it.
 *
 * @param runId unique for each execution
 * @param startedAt the wall-clock time of its start, to the nanosecond where the machine gives that
 * @param task what the agent is asked to do
 * @param environment the name of what answers the agent
 * @param model the name of the model that acts; empty where there is none
 * @param agent the name of the agent that acts; {@code null} where it has none
 * @param agentVersion the version of its code, prompts and tools; {@code null} if it is not known
 * @param expectedAnswer the right answer to the task; {@code null} where there is none that can be written down
 * @param maxSteps after how many steps the run is ended; 0 for no limit
 * @param seed of its random choices; {@code null} where there is none
 * @param passReward from which reward on it counts as solved; {@code null} where that is not known
 * @param params further parameters: strings, numbers, booleans, and lists and maps of them; {@linkplain JsonValues made plain}
 * @param tags further names to find it by
 * @param correlation what joins it to a trainer or a data set
 * @param parent what its parent has handed down, in this process or another; {@code null} where nothing is known
 * @param originalSpan span of another program that it was made of, with the same id in the trace that {@code parent} names;
 *     {@code null} where it was not
 */
@RecordBuilder
public record RunInfo(
        @Recorded(id = true) String runId,
        Instant startedAt,
        Content task,
        @Recorded(required = true) String environment,
        @Recorded(standard = "") String model,
        @Recorded(since = 2) @Nullable String agent,
        @Recorded(since = 2) @Nullable String agentVersion,
        @Recorded(since = 2) @Nullable Content expectedAnswer,
        @Recorded(standard = "0", min = 0) int maxSteps,
        @Nullable Long seed,
        @Recorded(since = 3) @Nullable Double passReward,
        Map<String, Object> params,
        Map<String, String> tags,
        @Recorded(inline = true) Correlation correlation,
        @Recorded(inline = true) @Nullable TraceContext parent,
        @Recorded(since = 3) @Nullable OriginalSpan originalSpan) {
    public RunInfo {
        task = Checks.orEmpty(task);
        model = Checks.orEmpty(model);
        agent = agent == null || agent.isBlank() ? null : agent;
        agentVersion = agentVersion == null || agentVersion.isBlank() ? null : agentVersion;
        expectedAnswer = expectedAnswer == null || expectedAnswer.isEmpty() ? null : expectedAnswer;
        correlation = correlation == null ? Correlation.NONE : correlation;
        Checks.notBlank(runId, "run id");
        Checks.notBlank(environment, "environment");
        Checks.atLeast(0, maxSteps, "max steps");
        params = JsonValues.copy(params);
        tags = Checks.texts(tags);
        parent = parent == null || parent.isEmpty() ? null : parent;
    }

    /** The wall-clock time that many nanoseconds after the start. */
    public Instant at(long nanos) {
        return startedAt.plusNanos(nanos);
    }

    /** The inverse of {@link #at}: nanoseconds from the start to the given time. */
    public long nanosTo(Instant time) {
        return Duration.between(startedAt, time).toNanos();
    }
}
