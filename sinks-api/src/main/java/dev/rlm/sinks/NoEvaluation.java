package dev.rlm.sinks;

import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.TraceContext;
import java.util.List;
import java.util.Optional;

/** The shared handle of all computations of rewards that nobody hears of. */
final class NoEvaluation implements Evaluation {
    static final Evaluation INSTANCE = new NoEvaluation();

    private NoEvaluation() {}

    @Override
    public boolean isRecording() {
        return false;
    }

    @Override
    public ToolCall startToolCall(String tool) {
        return NoToolCall.INSTANCE;
    }

    @Override
    public ModelCall startModelCall(String provider, String model) {
        return NoModelCall.INSTANCE;
    }

    @Override
    public Optional<TraceContext> traceContext() {
        return Optional.empty();
    }

    @Override
    public Scope makeCurrent() {
        return Scope.NONE;
    }

    @Override
    public void reward(double value, List<RewardComponent> components) {}

    @Override
    public void absent(String reason) {}

    @Override
    public void close() {}
}
