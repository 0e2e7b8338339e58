package dev.rlm.sinks.traced;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RunStatus;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Records a call of a tool. Arguments are read before it, since the tool may change them. */
final class ToolRecording implements Recording<Object> {
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
        Throwable cause = cause(error);
        call.fail(code(cause), Texts.of(cause));
        call.close();
    }

    private static Throwable cause(Throwable error) {
        Throwable cause =
                error instanceof CompletionException || error instanceof ExecutionException ? error.getCause() : null;
        return cause == null ? error : cause;
    }

    private static int code(Throwable error) {
        if (error instanceof CancellationException || error instanceof InterruptedException) {
            return RunStatus.CANCELLED;
        } else if (error instanceof TimeoutException) {
            return RunStatus.DEADLINE_EXCEEDED;
        }
        return error instanceof IllegalArgumentException ? RunStatus.INVALID_ARGUMENT : RunStatus.INTERNAL;
    }
}
