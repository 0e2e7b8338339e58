package dev.rlm.sinks;

import dev.rlm.sinks.event.RewardComponent;
import java.util.List;

/** The shared handle of all steps that nobody hears of. */
final class NoStep extends NoActivity implements Step {
    static final Step INSTANCE = new NoStep();

    private NoStep() {}

    @Override
    public Step startStep(String observation) {
        return this;
    }

    @Override
    public void action(String type, String code) {}

    @Override
    public void state(String before, String after) {}

    @Override
    public void tag(String name, String value) {}

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
    public void complete(String output) {}

    @Override
    public void fail(String output, String error) {}

    @Override
    public void abort(String reason) {}

    @Override
    public void expire(String reason) {}

    @Override
    public void close() {}
}
