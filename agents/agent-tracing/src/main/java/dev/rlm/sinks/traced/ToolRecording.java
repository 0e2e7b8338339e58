package dev.rlm.sinks.traced;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.ToolCall;
import org.jspecify.annotations.Nullable;

/** Records a call of a tool. Arguments are read before it, since the tool may change them. */
final class ToolRecording implements CallRecording<Object> {
    private final ToolShape<?, ?> shape;
    private final ToolCall call;

    private ToolRecording(ToolShape<?, ?> shape, ToolCall call) {
        this.shape = shape;
        this.call = call;
    }

    /** Starts recording a call that is about to be made, with that for its first argument and that for all of them. */
    static ToolRecording start(
            Activity in, String tool, ToolShape<?, ?> shape, @Nullable Object first, @Nullable Object all) {
        ToolCall call = in.startToolCall(tool);
        Guard.run("the arguments of a tool", () -> shape.argument(first, all, call));
        return new ToolRecording(shape, call);
    }

    @Override
    public void returned(@Nullable Object result) {
        Guard.run("the result of a tool", () -> shape.result(result, call));
        call.close();
    }

    /** Ends it where there is no result, as with a method that is {@code void}. */
    void returned() {
        call.close();
    }

    @Override
    public void failed(Throwable error) {
        call.fail(shape.failure(error));
        call.close();
    }
}
