package dev.rlm.sinks.core;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.Rewarded;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.RewardComponent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A run or a step that sinks hear of. */
interface LiveRewarded extends LiveActivity, Rewarded {
    /** Returns the step that it is; {@code null} for the run. */
    @Nullable
    OpenStep step();

    @Override
    default Step startStep(String observation) {
        return LiveStep.start(recorder(), stepNumber(), observation);
    }

    @Override
    default Evaluation startEvaluation(String source) {
        return LiveEvaluation.start(recorder(), step(), place(), source);
    }

    @Override
    default void reward(String source, double value, List<RewardComponent> components) {
        recorder().reward(step(), source, value, null, components, null);
    }

    @Override
    default void reward(String source, Reward reward) {
        recorder().reward(step(), source, reward);
    }

    @Override
    default void rewardAbsent(String source, String reason) {
        recorder().reward(step(), source, Double.NaN, RunRecorder.absence(reason), List.of(), null);
    }
}
