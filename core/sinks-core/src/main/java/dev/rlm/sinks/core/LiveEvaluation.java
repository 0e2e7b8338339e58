package dev.rlm.sinks.core;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RewardComponent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The computation of a reward that sinks hear of. */
final class LiveEvaluation extends LiveWork implements Evaluation {
    private final @Nullable OpenStep step; // that the reward is for; null for the run

    LiveEvaluation(RunRecorder run, @Nullable OpenStep step, LivePlace outer, Place.Work work) {
        super(run, outer, work);
        this.step = step;
    }

    /** Starts one of the step, or of the run, if that has not ended. */
    static Evaluation start(RunRecorder run, @Nullable OpenStep step, LivePlace outer, @Nullable String source) {
        String clean = run.context().redact(source);
        LiveEvaluation evaluation = run.startWork((seq, nanos) -> new LiveEvaluation(
                run, step, outer, new Place.Work(seq, nanos, Place.Work.Kind.EVALUATION, clean, null)));
        return evaluation == null ? Evaluation.NOOP : evaluation;
    }

    @Override
    public void reward(double value, List<RewardComponent> components) {
        run.endEvaluation(this, step, value, null, components, null);
    }

    @Override
    public void reward(Reward reward) {
        Reward given = RunRecorder.orAbsent(reward);
        run.endEvaluation(this, step, given.value(), null, given.components(), given);
    }

    @Override
    public void absent(String reason) {
        run.endEvaluation(this, step, Double.NaN, RunRecorder.absence(reason), List.of(), null);
    }

    @Override
    void endWithRun() {
        absent("the run ended before it was computed");
    }

    @Override
    public void close() {
        if (run.isOpen(this)) {
            absent("its computation was left before its end");
        }
    }
}
