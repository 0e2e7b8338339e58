package dev.rlm.sinks.traced;

import dev.rlm.sinks.Activity;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A tool whose calls are recorded, by its name. */
final class TracedTool {
    private final String name;
    private final ToolShape<?, ?> shape;

    TracedTool(String name, Object tool, ToolShape<?, ?> shape) {
        this.name = checked(name);
        this.shape = Objects.requireNonNull(shape, "shape");
        Objects.requireNonNull(tool, "tool");
    }

    static String checked(String name) {
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException("a tool needs a name");
        }
        return name;
    }

    /** Makes the call, and records it where something is current. */
    @SuppressWarnings({"unchecked", "NullAway"}) // it is what the call made; a future stands only for a plain one
    <R extends @Nullable Object> R call(@Nullable Object arguments, CallRecording.Call<R, RuntimeException> call) {
        Activity here = Activity.current();
        if (!here.isRecording()) {
            return call.make();
        }
        ToolRecording recording = ToolRecording.start(here, name, shape, arguments, arguments);
        return (R) TracedFuture.observe(recording.opening(call), Object.class, recording);
    }
}
