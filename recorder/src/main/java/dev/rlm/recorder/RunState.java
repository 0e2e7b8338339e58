package dev.rlm.recorder;

import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.schema.LateEvents;
import dev.rlm.sinks.schema.RewardTotals;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** State of a run. A line is tried on a copy, which takes its place once the whole line is known to be right. */
final class RunState {
    private static final long MAX_SEQ = 1L << 50;
    private static final int MAX_LEFT_OUT = 1_000;
    private static final int MAX_STEP = 1_000_000_000;

    private final TreeMap<Integer, OpenStep> open;
    private final TreeSet<Long> leftOut;
    private long seq;
    private long lastNanos;
    private long lastStepEnd;
    private int lastStep;
    private int steps;
    private boolean startsSaid;
    private final RewardTotals rewards;
    private boolean elsewhere; // recorded by another process, which may number events of it too
    private boolean ended;

    RunState() {
        open = new TreeMap<>();
        leftOut = new TreeSet<>();
        rewards = new RewardTotals();
    }

    /** That of a run which others have recorded, by its events. */
    RunState(List<RunEvent> events) {
        this();
        elsewhere = true;
        for (RunEvent event : events) {
            saw(event);
            seq = LateEvents.isLate(event.seq()) ? seq : Math.max(seq, event.seq());
            lastStep = Math.max(lastStep, event.step());
            if (event instanceof RewardGiven reward) {
                rewards.add(reward, ended);
            }
            ended |= event instanceof RunEnded;
        }
    }

    RunState(RunState other) {
        open = new TreeMap<>(other.open);
        leftOut = other.leftOut.isEmpty() ? new TreeSet<>() : new TreeSet<>(other.leftOut);
        seq = other.seq;
        lastNanos = other.lastNanos;
        lastStepEnd = other.lastStepEnd;
        lastStep = other.lastStep;
        steps = other.steps;
        startsSaid = other.startsSaid;
        rewards = new RewardTotals(other.rewards);
        elsewhere = other.elsewhere;
        ended = other.ended;
    }

    // ---- numbers of events

    /** The next event's. */
    long nextSeq() {
        return ++seq;
    }

    /** The one that the line has, or the next. A reward has its number from when its computation began. */
    long seqOf(Line line) {
        Long said = line.get("seq", Long.class);
        if (said == null) {
            return nextSeq();
        } else if (LateEvents.isLate(said) && line.type() == EventType.REWARD_GIVEN && said <= MAX_SEQ) {
            return said; // another process has made it: it is no further than its reward
        } else if (line.type() == EventType.REWARD_GIVEN && leftOut.remove(said)) {
            return said;
        } else if (said <= seq || said > MAX_SEQ) {
            throw new RefusedException(
                    "seq " + said + " does not go on from " + seq
                            + ": numbers of a run count up, each once; leave it out to have the next",
                    isTaken(said) ? RefusedException.Reason.REPEATED : RefusedException.Reason.WRONG);
        }
        for (long skipped = seq + 1; skipped < said && leftOut.size() < MAX_LEFT_OUT; skipped++) {
            leftOut.add(skipped);
        }
        seq = said;
        return said;
    }

    /** Returns whether others may number events of the run. */
    boolean isElsewhere() {
        return elsewhere;
    }

    /** Returns whether an event has that number. */
    boolean isTaken(@Nullable Long number) {
        return number != null && number > 0 && number <= seq && !leftOut.contains(number);
    }

    // ---- time

    void saw(RunEvent event) {
        lastNanos = Math.max(lastNanos, event.nanos());
    }

    /** Returns when the last of its events happened. */
    long lastNanos() {
        return lastNanos;
    }

    /** Returns when the last of its steps ended; its start where none has. */
    long lastStepEnd() {
        return lastStepEnd;
    }

    // ---- steps

    int nextStep() {
        return lastStep + 1;
    }

    /** Returns whether a step of that number has not been heard of. */
    boolean isNew(int step) {
        return step > lastStep;
    }

    void checkNew(int step) {
        if (step == RunEvent.NO_STEP) {
            throw new RefusedException("step is 0: steps count from 1");
        } else if (!isNew(step)) {
            throw new RefusedException("step " + step + " has " + (isOpen(step) ? "started" : "ended")
                    + " already: the next is " + nextStep());
        } else if (step > MAX_STEP) {
            throw new RefusedException("step " + step + " is beyond " + MAX_STEP);
        }
    }

    /** Returns about what the open steps take in memory, in bytes. */
    long held() {
        return open.values().stream().mapToLong(OpenStep::size).sum();
    }

    boolean isOpen(int step) {
        return open.containsKey(step);
    }

    /** The steps that have not ended, by number. */
    List<OpenStep> open() {
        return new ArrayList<>(open.values());
    }

    List<Integer> openNumbers() {
        return new ArrayList<>(open.keySet());
    }

    OpenStep get(int step) {
        return Objects.requireNonNull(open.get(step));
    }

    void start(StepStarted started, boolean implied) {
        open.put(started.step(), new OpenStep(started, implied, new RewardTotals()));
        lastStep = Math.max(lastStep, started.step());
        startsSaid |= !implied;
    }

    /** Returns whether the run says where its steps start. */
    boolean startsAreSaid() {
        return startsSaid;
    }

    void end(int step, long nanos) {
        open.remove(step);
        steps++;
        lastStepEnd = Math.max(lastStepEnd, nanos);
    }

    /** The run has ended: what comes now is late. */
    void endRun() {
        ended = true;
    }

    /** Leaves the open steps without an end. */
    void forgetOpen() {
        open.clear();
    }

    /** Returns how many have ended. */
    int steps() {
        return steps;
    }

    // ---- rewards

    /** A reward was given, to a step or to the run. */
    void reward(RewardGiven reward) {
        rewards.add(reward, ended);
        open.computeIfPresent(reward.step(), (number, its) -> its.with(reward.value()));
    }

    RewardTotals rewards() {
        return rewards;
    }

    /**
     * A step that has not ended.
     *
     * @param implied whether no line has said its start
     */
    record OpenStep(StepStarted started, boolean implied, RewardTotals rewards) {
        long size() {
            return RunsMemory.ofStep(started.observation().weight());
        }

        OpenStep with(double reward) {
            RewardTotals more = new RewardTotals(rewards); // of a copy of the state it is the same object
            more.add(reward);
            return new OpenStep(started, implied, more);
        }
    }
}
