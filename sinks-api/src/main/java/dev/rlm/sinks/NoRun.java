package dev.rlm.sinks;

import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.TraceContext;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The shared handle of all runs that nobody hears of. */
final class NoRun implements Run {
    static final Run INSTANCE = new NoRun();

    private NoRun() {}

    @Override
    public boolean isRecording() {
        return false;
    }

    @Override
    public Step startStep(String observation) {
        return NoStep.INSTANCE;
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
    public Evaluation startEvaluation(String source) {
        return NoEvaluation.INSTANCE;
    }

    @Override
    public Span span(String name) {
        return NoSpan.INSTANCE;
    }

    @Override
    public void reward(String source, double value, List<RewardComponent> components) {}

    @Override
    public void rewardAbsent(String source, String reason) {}

    @Override
    public void metric(String name, double value) {}

    @Override
    public Optional<TraceContext> traceContext() {
        return Optional.empty();
    }

    @Override
    public Scope makeCurrent() {
        return Scope.NONE;
    }

    @Override
    public void complete(@Nullable String finalAnswer, @Nullable String terminationReason) {}

    @Override
    public void truncate(String terminationReason, @Nullable String finalAnswer) {}

    @Override
    public void fail(int code, Throwable error) {}

    @Override
    public void abort(String reason) {}

    @Override
    public void close() {}
}
