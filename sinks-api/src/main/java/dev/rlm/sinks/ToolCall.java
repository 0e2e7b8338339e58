package dev.rlm.sinks;

import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.TraceContext;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Records one call of a tool, from {@link Step#startToolCall} to {@link #close}, which emits it. Safe for use by several
 * threads; no method throws. What is said of it after that is counted as dropped.
 *
 * <p>It may outlast its step, but not its run, whose end emits it as it is then: as failed, also where it had gone well
 * so far. To close it after that, or to say that it failed, is no loss.
 */
public interface ToolCall extends AutoCloseable {
    /** The shared call that records nothing. */
    ToolCall NOOP = new ToolCall() {};

    /** Notes the tool's arguments, usually a JSON object. */
    default ToolCall arguments(String arguments) {
        return this;
    }

    /**
     * {@code function} unless said; {@code mcp} for a tool of a Model Context Protocol server, {@code retrieval} for a search for
     * documents, whose query its arguments are.
     */
    default ToolCall provider(String provider) {
        return this;
    }

    /** The id of the model's request that the call answers; {@code null} where no model asked. */
    default ToolCall callId(@Nullable String id) {
        return this;
    }

    /** Notes the number of times that it was called again. */
    default ToolCall retries(int count) {
        return this;
    }

    /**
     * Notes a further fact about the call.
     *
     * @param name one of OpenTelemetry's semantic conventions, such as {@code mcp.session.id}, or of your own
     */
    default ToolCall attribute(String name, Object value) {
        return this;
    }

    /**
     * Notes a document that the call found, the best first, which makes it a retrieval. Its data source is the attribute
     * {@code gen_ai.data_source.id}.
     *
     * @param score {@code null} where there is none
     * @param sha256 of its text, which is not recorded; {@code null} where that is not known
     */
    default ToolCall document(String id, @Nullable Double score, @Nullable String sha256) {
        return this;
    }

    /**
     * Returns the context to hand to a tool that works elsewhere, so that its work joins the trace: see
     * {@link Step#traceContext}. The call's own span has no identity before the call has ended.
     */
    default Optional<TraceContext> traceContext() {
        return Optional.empty();
    }

    /** Notes the tool's result. */
    default void result(String result) {}

    /**
     * The tool failed.
     *
     * @param code one of {@link RunStatus}'s, or the tool's own
     */
    default void fail(int code, String error) {}

    /** The tool threw that. */
    default void fail(Throwable error) {
        fail(RunStatus.codeOf(error), String.valueOf(error));
    }

    /** Ends it; without a result it is one of a tool that gives none, so what was thrown is to be {@linkplain #fail(Throwable) said}. */
    @Override
    default void close() {}
}
