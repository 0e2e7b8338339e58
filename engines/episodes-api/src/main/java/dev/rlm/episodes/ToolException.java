package dev.rlm.episodes;

/** A tool failed. The message is for the agent. */
public final class ToolException extends Exception {
    private static final long serialVersionUID = 1;

    private final int code;

    /**
     * A failure.
     *
     * @param code one of {@link dev.rlm.sinks.event.RunStatus}'s, or the tool's own
     */
    public ToolException(int code, String message) {
        super(message);
        this.code = code;
    }

    public int code() {
        return code;
    }
}
