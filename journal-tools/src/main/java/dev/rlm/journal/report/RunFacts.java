package dev.rlm.journal.report;

import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.jsonl.RunState;
import dev.rlm.sinks.jsonl.RunSummary;
import dev.rlm.sinks.jsonl.Verdict;
import java.util.ArrayList;
import java.util.List;

/** What the report needs to know of one run. It holds those of the run's events that are counted, and is let go once it has been counted. */
final class RunFacts {
    private final RunSummary summary;
    private final SampleKey sample;
    private final List<RunEvent> events;
    private final List<RewardGiven> rewards = new ArrayList<>();
    private final List<ToolCalled> tools = new ArrayList<>();
    private final List<ModelCalled> models = new ArrayList<>();
    private long infiniteRewards;

    RunFacts(RunSummary summary, List<RunEvent> events) {
        this.summary = summary;
        this.sample = SampleKey.of(summary.run());
        this.events = events;
        events.forEach(this::sort);
    }

    private void sort(RunEvent event) {
        if (event instanceof RewardGiven reward) {
            rewards.add(reward);
            infiniteRewards += Double.isInfinite(reward.value()) ? 1 : 0;
        } else if (event instanceof ToolCalled call) {
            tools.add(call);
        } else if (event instanceof ModelCalled call) {
            models.add(call);
        }
    }

    RunSummary summary() {
        return summary;
    }

    /** Those of the kinds that were asked for, by number, late ones included. */
    List<RunEvent> events() {
        return events;
    }

    RunInfo run() {
        return summary.run();
    }

    SampleKey sample() {
        return sample;
    }

    List<RewardGiven> rewards() {
        return rewards;
    }

    List<ToolCalled> tools() {
        return tools;
    }

    List<ModelCalled> models() {
        return models;
    }

    /** Whether rates and means are over it: it came to an end of its own. */
    boolean counts() {
        return summary.state() == RunState.COMPLETED || summary.state() == RunState.FAILED;
    }

    /** How many rewards came after its end. */
    long lateRewards() {
        return summary.rewards().late();
    }

    /** How many rewards could not be computed, late ones included. */
    long absentRewards() {
        return summary.rewards().absent();
    }

    /** How many rewards are infinite, late ones included: they were computed, and are in no total. */
    long infiniteRewards() {
        return infiniteRewards;
    }

    /** Whether means may use its total: see {@link RunEnded#hasUsableReward}; a late reward that is absent counts too. */
    boolean hasUsableReward() {
        return counts() && summary.rewards().isUsable();
    }

    /** Whether it has never got a reward, not even one that could not be computed. */
    boolean isUnrewarded() {
        return rewards.isEmpty() && absentRewards() == 0 && summary.totalReward() == 0;
    }

    Verdict verdict(PassRule rule) {
        if (rule.reward() != null) {
            double last = rewards.isEmpty()
                    ? Double.NaN
                    : rewards.get(rewards.size() - 1).value();
            return verdict(rule.on().isSolved(last, summary.totalReward(), absentRewards() > 0, rule.reward()));
        }
        return summary.verdict();
    }

    private static Verdict verdict(boolean solved) {
        return solved ? Verdict.SOLVED : Verdict.UNSOLVED;
    }
}
