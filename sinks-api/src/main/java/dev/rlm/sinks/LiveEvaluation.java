package dev.rlm.sinks;

import dev.rlm.sinks.event.RewardComponent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The computation of a reward that sinks hear of. Its event has the number that was next when it started. */
final class LiveEvaluation implements Evaluation {
    private final LiveRun run;
    private final @Nullable LiveStep step;
    private final String source;
    private final long seq;
    private final long startNanos;

    LiveEvaluation(LiveRun run, @Nullable LiveStep step, String source, long seq, long startNanos) {
        this.run = run;
        this.step = step;
        this.source = source;
        this.seq = seq;
        this.startNanos = startNanos;
    }

    @Nullable
    LiveStep step() {
        return step;
    }

    long seq() {
        return seq;
    }

    long startNanos() {
        return startNanos;
    }

    private int stepNumber() {
        return step == null ? 0 : step.number();
    }

    @Override
    public ToolCall startToolCall(String tool) {
        return new LiveToolCall(run, stepNumber(), seq, tool);
    }

    @Override
    public ModelCall startModelCall(String provider, String model) {
        return new LiveModelCall(run, stepNumber(), seq, provider, model);
    }

    @Override
    public void reward(double value, List<RewardComponent> components) {
        run.endEvaluation(this, Reward.of(source, value, components));
    }

    @Override
    public void absent(String reason) {
        run.endEvaluation(this, Reward.absent(source, reason));
    }

    @Override
    public void close() {
        if (run.isOpen(this)) {
            absent("its computation was left before its end");
        }
    }
}
