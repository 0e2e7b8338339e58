package dev.rlm.recorder;

import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.schema.LateEvents;
import dev.rlm.sinks.schema.RunAssembler;
import dev.rlm.sinks.schema.RunAssembler.OpenStep;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** State of a run. A line is tried on a copy, which takes its place once the whole line is known to be right. */
final class ClientRunState {
    private static final long MAX_SEQ = 1L << 50;
    private static final int MAX_LEFT_OUT = 1_000;
    private static final Set<EventType> NUMBERED_AT_START = EnumSet.of(EventType.REWARD_GIVEN, EventType.SPAN_RECORDED);
    private static final int MAX_STEP = 1_000_000_000;

    private final RunAssembler run;
    private final TreeSet<Integer> implied; // open steps whose start no line has said
    private final TreeSet<Long> leftOut;
    private boolean startsSaid;
    private final boolean elsewhere; // recorded by another process, which may number events of it too

    /** That of a run which this process records. */
    ClientRunState() {
        this(List.of(), false);
    }

    /** That of a run which others have recorded, by its events. */
    ClientRunState(List<RunEvent> events) {
        this(events, true);
    }

    private ClientRunState(List<RunEvent> events, boolean elsewhere) {
        run = new RunAssembler();
        implied = new TreeSet<>();
        leftOut = new TreeSet<>();
        this.elsewhere = elsewhere;
        events.forEach(run::add);
    }

    ClientRunState(ClientRunState other) {
        run = new RunAssembler(other.run);
        implied = new TreeSet<>(other.implied);
        leftOut = other.leftOut.isEmpty() ? new TreeSet<>() : new TreeSet<>(other.leftOut);
        startsSaid = other.startsSaid;
        elsewhere = other.elsewhere;
    }

    /** Returns the run as far as it is known. */
    RunAssembler run() {
        return run;
    }

    // ---- numbers of events

    /** The one that the line has, or the next. A span, and the computation of a reward, has its number from when it began. */
    long seqOf(Line line) {
        Long said = line.get("seq", Long.class);
        if (said == null) {
            return run.nextSeq();
        } else if (LateEvents.isLate(said) && line.type() == EventType.REWARD_GIVEN && said <= MAX_SEQ) {
            return said; // another process has made it: it is no further than its reward
        } else if (NUMBERED_AT_START.contains(line.type()) && leftOut.remove(said)) {
            return said;
        } else if (said < run.nextSeq() || said > MAX_SEQ) {
            throw new LineRefusedException(
                    "seq " + said + " does not go on from " + run.lastSeq()
                            + ": numbers of a run count up, each once; leave it out to have the next",
                    isTaken(said) ? LineRefusedException.Reason.REPEATED : LineRefusedException.Reason.WRONG);
        }
        for (long skipped = run.nextSeq(); skipped < said && leftOut.size() < MAX_LEFT_OUT; skipped++) {
            leftOut.add(skipped);
        }
        return said;
    }

    /** Returns whether others may number events of the run. */
    boolean isElsewhere() {
        return elsewhere;
    }

    /** Returns whether an event has that number. */
    boolean isTaken(@Nullable Long number) {
        return number != null && number > 0 && number <= run.lastSeq() && !leftOut.contains(number);
    }

    // ---- steps

    /** Returns whether a step of that number has not been heard of. */
    boolean isNew(int step) {
        return step >= run.nextStep();
    }

    void checkNew(int step) {
        if (step == RunEvent.NO_STEP) {
            throw new LineRefusedException("step is 0: steps count from 1");
        } else if (!isNew(step)) {
            throw new LineRefusedException("step " + step + " has " + (run.open(step) != null ? "started" : "ended")
                    + " already: the next is " + run.nextStep());
        } else if (step > MAX_STEP) {
            throw new LineRefusedException("step " + step + " is beyond " + MAX_STEP);
        }
    }

    /** Returns about what the open steps take in memory, in bytes. */
    long held() {
        return run.open().stream()
                .mapToLong(
                        step -> RunsMemory.ofStep(step.started().observation().weight()))
                .sum();
    }

    /**
     * A step has started.
     *
     * @param isImplied whether no line has said its start
     */
    void start(int step, boolean isImplied) {
        startsSaid |= !isImplied;
        implied.removeIf(each -> run.open(each) == null);
        if (isImplied) {
            implied.add(step);
        }
    }

    /** Returns whether the start of an open step was said by no line. */
    boolean isImplied(OpenStep step) {
        return implied.contains(step.step());
    }

    /** Returns whether the run says where its steps start. */
    boolean startsAreSaid() {
        return startsSaid;
    }
}
