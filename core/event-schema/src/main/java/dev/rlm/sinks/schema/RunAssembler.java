package dev.rlm.sinks.schema;

import dev.rlm.sinks.RunSpec.PassOn;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Run that is put together from outside its process: it is told each event, gives the next one its number, and makes the ends of
 * steps and of the run with all that follows from the events before. For one thread at a time.
 */
public final class RunAssembler {
    /** Error of a step that was open when its run ended. */
    public static final String UNENDED_STEP = "the run ended before the step";

    private final RewardTotals rewards;
    private final TreeMap<Integer, OpenStep> open;
    private long seq;
    private long nanos;
    private long stepsUntil;
    private int lastStep;
    private int steps;
    private boolean ended;

    /** Makes that of a run of which nothing is known. */
    public RunAssembler() {
        rewards = new RewardTotals();
        open = new TreeMap<>();
    }

    /** Makes a copy. */
    public RunAssembler(RunAssembler other) {
        rewards = new RewardTotals(other.rewards);
        open = new TreeMap<>(other.open);
        seq = other.seq;
        nanos = other.nanos;
        stepsUntil = other.stepsUntil;
        lastStep = other.lastStep;
        steps = other.steps;
        ended = other.ended;
    }

    /** Takes an event into account; returns it. */
    public <E extends RunEvent> E add(E event) {
        count(event.seq(), event.nanos(), event instanceof StepEnded);
        lastStep = Math.max(lastStep, event.step());
        if (event instanceof StepStarted start) {
            open.put(start.step(), new OpenStep(start, RewardTotals.NO_REWARD));
        } else if (event instanceof StepEnded end) {
            open.remove(end.step());
            stepsUntil = Math.max(stepsUntil, end.nanos());
        } else if (event instanceof RewardGiven reward) {
            rewards.add(reward, ended);
            open.computeIfPresent(reward.step(), (number, step) -> step.with(reward.value()));
        } else if (event instanceof RunEnded) {
            ended = true;
            open.clear();
        }
        return event;
    }

    /** Counts an event of which no more is known, and which is no reward. */
    public void count(long number, long time, boolean isStepEnd) {
        seq = LateEvents.isLate(number) ? seq : Math.max(seq, number);
        nanos = Math.max(nanos, time);
        steps += isStepEnd ? 1 : 0;
    }

    /** Returns the number of the last event, but for late ones. */
    public long lastSeq() {
        return seq;
    }

    /** Returns the number of the next event. */
    public long nextSeq() {
        return seq + 1;
    }

    /** Returns when the last event happened. */
    public long lastNanos() {
        return nanos;
    }

    /** Returns when the last of its steps ended; its start where none has. */
    public long stepsUntil() {
        return stepsUntil;
    }

    /** Returns the number of the next step. */
    public int nextStep() {
        return lastStep + 1;
    }

    /** Returns how many steps have ended. */
    public int steps() {
        return steps;
    }

    /** Returns the steps that have not ended, by number. */
    public List<OpenStep> open() {
        return new ArrayList<>(open.values());
    }

    /** Returns the step of that number; {@code null} where it is not open. */
    public @Nullable OpenStep open(int step) {
        return open.get(step);
    }

    /** Leaves the open steps without an end. */
    public void forgetOpen() {
        open.clear();
    }

    /** Returns the totals of its rewards. */
    public RewardTotals rewards() {
        return rewards;
    }

    /**
     * Returns the end of an open step, not before its start and with the next number: the rest is to be added.
     *
     * @param error why it failed; {@code null} where it worked
     */
    public StepEndedBuilder end(OpenStep step, long time, @Nullable Content error) {
        return StepEndedBuilder.builder()
                .started(step.started)
                .seq(nextSeq())
                .nanos(Math.max(time, step.started.nanos()))
                .success(error == null)
                .error(error)
                .reward(step.reward())
                .cumulativeReward(rewards.sum());
    }

    /** Ends the steps that are open because their run ends, the last first: as failed, but for those that worked. Returns their ends. */
    public List<StepEnded> endOpen(long time, Predicate<OpenStep> worked) {
        List<StepEnded> ends = new ArrayList<>();
        while (!open.isEmpty()) {
            OpenStep step = open.lastEntry().getValue();
            ends.add(add(
                    worked.test(step)
                            ? end(step, time, null).build()
                            : end(step, time, Content.redacted(UNENDED_STEP))
                                    .errorType(StepEnded.ABORTED)
                                    .build()));
        }
        return ends;
    }

    /**
     * Returns the run's end at a time, with the next number: the rest is to be added.
     *
     * @param message of its status; empty where there is nothing to say
     */
    public RunEndedBuilder end(long time, Outcome outcome, String message) {
        return rewards.end(outcome, message).seq(nextSeq()).nanos(time).steps(steps);
    }

    /** Returns the end of a run whose process died: always the same for the same events. */
    public RunEndedBuilder abandoned() {
        return end(nanos, Outcome.ABANDONED, "");
    }

    /** Returns whether the run is solved if it ends so. */
    public boolean isSolved(Outcome outcome, PassOn on, double passReward) {
        return outcome != Outcome.ABANDONED && rewards.isSolved(on, passReward);
    }

    /**
     * Step that has not ended.
     *
     * @param sum of its rewards, as {@link RewardTotals#plus} makes it
     */
    public record OpenStep(StepStarted started, double sum) {
        private OpenStep with(double reward) {
            return new OpenStep(started, RewardTotals.plus(sum, reward));
        }

        public int step() {
            return started.step();
        }

        /** Returns whether a reward was given to it. */
        public boolean isRewarded() {
            return RewardTotals.isRewarded(sum);
        }

        /** Returns its reward as its end tells it. */
        public double reward() {
            return sum + 0.0;
        }
    }
}
