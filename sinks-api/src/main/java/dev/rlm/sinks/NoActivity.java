package dev.rlm.sinks;

import dev.rlm.sinks.event.TraceContext;
import java.util.Optional;

/** The activity that is current where nothing else is; the base of all handles that record nothing. */
class NoActivity implements Activity {
    static final Activity INSTANCE = new NoActivity();

    NoActivity() {}

    @Override
    public final boolean isRecording() {
        return false;
    }

    @Override
    public final ToolCall startToolCall(String tool) {
        return NoToolCall.INSTANCE;
    }

    @Override
    public final ModelCall startModelCall(String provider, String model) {
        return NoModelCall.INSTANCE;
    }

    @Override
    public final Optional<TraceContext> traceContext() {
        return Optional.empty();
    }

    @Override
    public final Scope makeCurrent() {
        return Scope.NONE;
    }
}
