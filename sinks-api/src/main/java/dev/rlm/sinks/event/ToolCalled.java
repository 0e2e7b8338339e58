package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A tool was called.
 *
 * @param nanos when the result had come
 * @param startNanos when the call was made
 * @param parentSeq the number of the event whose span it lies in; 0 for the step, or the run where there is no step
 * @param tool the tool's name
 * @param provider {@link #FUNCTION}, {@link #MCP} or {@link #RETRIEVAL}
 * @param callId the id of the {@link Message.ToolRequest} that it answers; {@code null} where there was none
 * @param arguments usually a JSON object
 * @param result what the tool gave; empty where it failed
 * @param statusCode 0 where it worked, else one of {@link RunStatus}'s codes
 * @param retries how often it was called again
 * @param error why it failed; {@code null} where it did not
 * @param attributes what else is known of the call, by the names of OpenTelemetry's semantic conventions, such as
 *     {@code mcp.session.id}
 * @param documents what a retrieval found, the best first
 * @param originalSpan span of another program that it was made of; {@code null} where it was not
 */
@RecordBuilder
public record ToolCalled(
        RunInfo run,
        long seq,
        long nanos,
        @Recorded(absent = "0", min = 0) int step,
        long startNanos,
        @Recorded(absent = "0", min = 0) long parentSeq,
        @Recorded(required = true) String tool,
        @Recorded(standard = FUNCTION) String provider,
        @Recorded(id = true) @Nullable String callId,
        Content arguments,
        Content result,
        int statusCode,
        @Recorded(standard = "0", min = 0) int retries,
        @Nullable Content error,
        Map<String, Object> attributes,
        @Recorded(since = 2) List<RetrievedDocument> documents,
        @Recorded(since = 3) @Nullable OriginalSpan originalSpan)
        implements RunEvent {
    /** A function of the agent's own program. */
    public static final String FUNCTION = "function";

    /** A tool of a Model Context Protocol server. */
    public static final String MCP = "mcp";

    /** A search for documents in a data source. */
    public static final String RETRIEVAL = "retrieval";

    public ToolCalled {
        arguments = Checks.orEmpty(arguments);
        result = Checks.orEmpty(result);
        Checks.atLeast(1, seq, "seq");
        Checks.atLeast(0, step, "step");
        Checks.atLeast(0, retries, "retries");
        Checks.notBlank(tool, "tool");
        provider = Checks.orEmpty(provider);
        attributes = JsonValues.copy(attributes);
        documents = Checks.orEmpty(documents);
    }

    @Override
    public EventType type() {
        return EventType.TOOL_CALLED;
    }

    /** Returns whether it searched for documents, also where it found none. */
    public boolean isRetrieval() {
        return provider.equals(RETRIEVAL) || !documents.isEmpty();
    }

    /** Returns whether the tool failed. */
    public boolean failed() {
        return error != null || statusCode != RunStatus.OK;
    }

    /** Returns the duration of the call. */
    public Duration duration() {
        return Duration.ofNanos(nanos - startNanos);
    }
}
