package dev.rlm.sinks;

import dev.rlm.sinks.event.TraceContext;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Records one call of a tool, from {@link Step#startToolCall} to {@link #close}, which emits it. Safe for use by several
 * threads; no method throws. What is said of it after that is counted as dropped.
 *
 * <p>It may outlast its step, but not its run, whose end emits it as it is then: as failed, also where it had gone well so
 * far. To close it after that, or to say that it failed, is no loss.
 */
public interface ToolCall extends AutoCloseable {
    /** Returns the shared call that records nothing. */
    static ToolCall noop() {
        return NoToolCall.INSTANCE;
    }

    /** Notes the tool's arguments, usually a JSON object. */
    ToolCall arguments(String arguments);

    /** {@code function} unless said; {@code mcp} for a tool of a Model Context Protocol server. */
    ToolCall provider(String provider);

    /** The id of the model's request that the call answers; {@code null} where no model asked. */
    ToolCall callId(@Nullable String id);

    /** Notes the number of times that it was called again. */
    ToolCall retries(int count);

    /**
     * What else is known of the call.
     *
     * @param name one of OpenTelemetry's semantic conventions, such as {@code mcp.session.id}, or of your own
     */
    ToolCall attribute(String name, Object value);

    /**
     * What the tool is to know where it works elsewhere, so that its work is found with what called it: see
     * {@link Step#traceContext}. The call's own span has no identity before the call has ended.
     */
    Optional<TraceContext> traceContext();

    /** Notes the tool's result. */
    void result(String result);

    /**
     * The tool failed.
     *
     * @param code one of {@link dev.rlm.sinks.event.RunStatus}'s, or the tool's own
     */
    void fail(int code, String error);

    @Override
    void close();
}
