package dev.rlm.sinks;

import dev.rlm.sinks.event.TraceContext;
import java.util.Optional;

/** What all activities have in common that nobody hears of. */
abstract sealed class NoActivity permits NoRun, NoStep, NoSpan, NoEvaluation {
    public final boolean isRecording() {
        return false;
    }

    public final ToolCall startToolCall(String tool) {
        return NoToolCall.INSTANCE;
    }

    public final ModelCall startModelCall(String provider, String model) {
        return NoModelCall.INSTANCE;
    }

    public final Optional<TraceContext> traceContext() {
        return Optional.empty();
    }

    public final Scope makeCurrent() {
        return Scope.NONE;
    }
}
