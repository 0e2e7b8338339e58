package dev.rlm.engine;

import dev.rlm.sinks.event.TraceContext;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Description of a job, of which another process makes the same plan: its episodes are then known by their places. It holds secrets
 * where the variables do.
 *
 * @param invocation the job's id
 * @param options the options of {@code rlm run} by their names: texts, lists of texts and maps of texts
 * @param variables the environment variables that the plan and its policies read
 * @param plan the digest of the plan, which must be the same there
 * @param parent trace and baggage that were handed to the job, as headers
 * @param jobSpan the span of the job, as a traceparent; {@code null} where it has none
 * @param limits limits of the job
 */
public record JobDescription(
        String invocation,
        HashMap<String, Object> options,
        HashMap<String, String> variables,
        String plan,
        HashMap<String, String> parent,
        @Nullable String jobSpan,
        JobLimits limits)
        implements Serializable {
    /** Returns a description with copies of these maps. */
    public static JobDescription of(
            String invocation,
            Map<String, Object> options,
            Map<String, String> variables,
            String plan,
            TraceContext parent,
            @Nullable String jobSpan,
            JobLimits limits) {
        return new JobDescription(
                invocation,
                new HashMap<>(options),
                new HashMap<>(variables),
                plan,
                new HashMap<>(parent.toMap()),
                jobSpan,
                limits);
    }

    /** Returns the job's id alone: the rest may hold secrets. */
    @Override
    public String toString() {
        return "job " + invocation;
    }
}
