package dev.rlm.episodes;

import dev.rlm.sinks.ToolCall;

/** A tool that agents may call whatever their environment is. Safe for use by several runs at a time. */
public interface Tool {
    ToolSpec spec();

    /**
     * Calls it.
     *
     * @param arguments a JSON object, as the {@linkplain ToolSpec#inputSchema() schema} has it
     * @param call the call's record, which has the arguments already; it is given the result, the error and the end by who
     *     calls this. A tool adds what only it knows, such as its kind of provider
     * @throws ToolException if the tool says that it failed: the agent sees the message
     * @throws Exception if it cannot be called: the agent sees that too, and may go on without it
     */
    String call(String arguments, ToolCall call) throws Exception;
}
