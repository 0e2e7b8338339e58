package dev.rlm.sinks;

import dev.rlm.sinks.event.RewardComponent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The shared handle of all runs that nobody hears of. */
final class NoRun extends NoActivity implements Run {
    static final Run INSTANCE = new NoRun();

    private NoRun() {}

    @Override
    public Step startStep(String observation) {
        return NoStep.INSTANCE;
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
    public void reward(String source, Reward reward) {}

    @Override
    public void rewardAbsent(String source, String reason) {}

    @Override
    public void metric(String name, double value) {}

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
