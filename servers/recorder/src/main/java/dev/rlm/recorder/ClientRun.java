package dev.rlm.recorder;

import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.schema.LateEvents;
import dev.rlm.sinks.schema.RunAssembler;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A run that is recorded from outside. Safe for use by several threads: its events leave in the order of their numbers. */
final class ClientRun {
    private final RunInfo info;
    private final RunEnding ending;
    private final Consumer<RunEvent> publish;
    private final RunClock clock;
    private final RunsMemory memory;
    private final long size;
    private final long startSeq;
    private ClientRunState state = new ClientRunState();
    private @Nullable String end; // how it ended, in words
    private boolean cutOff;
    private volatile long heardAt = System.nanoTime();

    /** A run that begins with that line, unless the line is refused. */
    ClientRun(RunInfo info, Line line, RunEnding ending, RunsMemory memory, Consumer<RunEvent> publish) {
        this.info = info;
        this.size = RunsMemory.ofRun(line.length());
        this.memory = memory;
        this.ending = ending;
        this.publish = publish;
        this.clock = new RunClock(info);
        this.startSeq = state.seqOf(line);
    }

    /**
     * A run that others have recorded, and that has ended.
     *
     * @param events all of it, by number
     */
    ClientRun(List<RunEvent> events, RunEnding ending, RunsMemory memory, Consumer<RunEvent> publish) {
        this.info = events.get(0).run();
        this.size = RunsMemory.ofRun(info.task().length());
        this.memory = memory;
        this.ending = ending;
        this.publish = publish;
        this.clock = new RunClock(info);
        this.startSeq = events.get(0).seq();
        this.state = new ClientRunState(events);
        this.end = "has ended in another process: only a late reward_given can follow";
    }

    RunInfo info() {
        return info;
    }

    /** Returns about what it takes in memory without its steps, in bytes. */
    long size() {
        return size;
    }

    /** Begins it. */
    synchronized RunStarted start() {
        memory.add(size);
        RunStarted started = state.run().add(new RunStarted(info, startSeq));
        publish.accept(started);
        return started;
    }

    /** Records what a line says of it; its event. */
    synchronized RunEvent take(Line line) {
        heardAt = System.nanoTime();
        boolean late = end != null && line.type() == EventType.REWARD_GIVEN;
        if (end != null && !late) {
            boolean repeated = !cutOff && state.isTaken(line.get("seq", Long.class));
            throw new LineRefusedException(
                    "the run " + end,
                    repeated ? LineRefusedException.Reason.REPEATED : LineRefusedException.Reason.WRONG);
        }
        Long said = line.get("seq", Long.class);
        if (!late && said != null && LateEvents.isLate(said)) {
            throw new LineRefusedException(
                    "seq " + said + " is a reward's that comes after the run's end, which has not come",
                    LineRefusedException.Reason.LATER);
        }
        ClientRunState next = new ClientRunState(state);
        List<RunEvent> events = EventCompletion.of(info, clock, next, line, ending);
        RunEvent own = own(events);
        if (late
                && own instanceof RewardGiven again
                && state.run().rewards().has(again.step(), again.source(), again.value())) {
            return again; // as a client tells one again whose answer was lost
        }
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

    private RunEvent own(List<RunEvent> events) {
        RunEvent own = events.get(events.size() - 1);
        if (end != null && own instanceof RewardGiven && events.size() > 1) {
            throw new LineRefusedException("the run has ended: no step can begin in it");
        }
        return own;
    }

    /** Ends it without its client, unless it has ended: {@linkplain Outcome#ABANDONED abandoned} at its last event, else now. */
    synchronized void cutOff(Outcome outcome, String why) {
        if (end != null) {
            return;
        }
        end = "was " + outcome.label() + ": " + why;
        cutOff = true;
        memory.add(-size - state.held());
        RunAssembler run = state.run();
        long nanos = run.lastNanos();
        if (outcome == Outcome.ABANDONED) {
            run.forgetOpen(); // who abandons a run knows no end of its steps
        } else {
            nanos = clock.now(nanos);
        }
        run.endOpen(nanos, step -> false).forEach(publish);
        publish.accept(run.add(ending.end(info, run, nanos, outcome, why)));
    }

    /** Returns whether it is an earlier attempt at the same rollout of the same job. */
    boolean isEarlierAttempt(Correlation than) {
        Correlation own = info.correlation();
        return than.invocation() != null
                && than.rollout() != null
                && than.invocation().equals(own.invocation())
                && than.rollout().equals(own.rollout())
                && Objects.requireNonNullElse(own.attempt(), 1) < Objects.requireNonNullElse(than.attempt(), 1);
    }

    /** Returns how long nothing has been heard of it, in nanoseconds. */
    long silence() {
        return System.nanoTime() - heardAt;
    }
}
