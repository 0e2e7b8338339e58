package dev.rlm.recorder;

import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A run that is recorded from outside. Safe for use by several threads: its events leave in the order of their numbers. */
final class RecordedRun {
    private final RunInfo info;
    private final RunEnding ending;
    private final Consumer<RunEvent> publish;
    private final RunClock clock;
    private final RunsMemory memory;
    private final long size;
    private RunState state = new RunState();
    private @Nullable String end; // how it ended, in words
    private boolean cutOff;
    private volatile long heardAt = System.nanoTime();

    RecordedRun(RunInfo info, int length, RunEnding ending, RunsMemory memory, Consumer<RunEvent> publish) {
        this.info = info;
        this.size = RunsMemory.ofRun(length);
        this.memory = memory;
        this.ending = ending;
        this.publish = publish;
        this.clock = new RunClock(info);
    }

    RunInfo info() {
        return info;
    }

    /** Returns about what it takes in memory without its steps, in bytes. */
    long size() {
        return size;
    }

    /** The number that its start will have: to be asked before anybody knows of the run, since it may be refused. */
    synchronized long startSeq(Line line) throws RefusedException {
        return state.seqOf(line);
    }

    /** Begins it. */
    synchronized void start(long seq) {
        memory.add(size);
        publish.accept(new RunStarted(info, seq));
    }

    /** Records what a line says of it; the number of the event. */
    synchronized RunEvent take(Line line) throws RefusedException {
        heardAt = System.nanoTime();
        boolean late = end != null && !cutOff && line.type() == EventType.REWARD_GIVEN;
        if (end != null && !late) {
            throw new RefusedException("the run " + end);
        }
        RunState next = new RunState(state);
        List<RunEvent> events = Draft.of(info, clock, next, line, ending);
        RunEvent own = own(events);
        if (next.held() > state.held()) {
            memory.checkRoom();
        }
        if (own instanceof RunEnded ended) {
            end = "has ended (" + ended.outcome().label() + "): only a late reward_given can follow";
            memory.add(-size);
        }
        memory.add(next.held() - state.held());
        state = next;
        events.forEach(publish);
        return own;
    }

    private RunEvent own(List<RunEvent> events) throws RefusedException {
        RunEvent own = events.get(events.size() - 1);
        if (end != null && own instanceof RewardGiven && events.size() > 1) {
            throw new RefusedException("the run has ended: no step can begin in it");
        }
        return own;
    }

    /** Ends it without its client; whether it had not ended. */
    synchronized boolean cutOff(Outcome outcome, String why) {
        if (end != null) {
            return false;
        }
        long nanos = outcome == Outcome.ABANDONED ? state.lastNanos() : nanosNow();
        end = "was " + outcome.label() + ": " + why;
        cutOff = true;
        memory.add(-size - state.held());
        Draft.cutOff(info, nanos, state, outcome, why, ending).forEach(publish);
        state = new RunState(); // or its open steps would be held as long as it is remembered
        return true;
    }

    private long nanosNow() {
        return clock.now(state.lastNanos());
    }

    /** How long nothing has been heard of it, in nanoseconds. */
    long silence() {
        return System.nanoTime() - heardAt;
    }
}
