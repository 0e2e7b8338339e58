package dev.rlm.journal.line;

import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.schema.RunAssembler;
import org.jspecify.annotations.Nullable;

/** A run whose end has not been read: enough of it to make one up, should none come. */
public final class UnendedRun {
    private final SeenSeqs seen = new SeenSeqs();
    private boolean hasStart;
    private RunInfo run;
    private final EventReader reader;
    private final RunAssembler known = new RunAssembler();

    /** From the first of its lines. */
    public UnendedRun(Fields first) {
        run = EventReader.run(first);
        reader = new EventReader(run);
        hasStart = isStart(first);
    }

    private static boolean isStart(Fields line) {
        return line.text("type").equals(EventType.RUN_STARTED.label());
    }

    /** Returns whether its start has been read. */
    public boolean hasStart() {
        return hasStart;
    }

    /**
     * The event on a line of the run, which is then counted; {@code null} where it came before, or is of a type that is
     * not known here.
     */
    @Nullable
    public RunEvent read(Fields line) {
        if (isStart(line) && !hasStart) {
            run = EventReader.run(line); // it tells more than the lines before it did
            reader.runIs(run);
            hasStart = true;
        }
        RunEvent event = reader.read(line);
        if (event == null || !seen.add(event.seq())) {
            return null;
        }
        return known.add(event);
    }

    /** Counts a line of which the head alone was read, and which is no reward's. */
    public void pass(LineHead head) {
        if (seen.add(head.seq())) {
            known.count(head.seq(), head.nanos(), head.is(EventType.STEP_ENDED));
        }
    }

    /** Returns its end as it was read, which tells that there was no reward if all events are known and none is one. */
    public RunEnded ended(RunEnded end) {
        return known.rewards().given() == 0 && seen.count(end.seq()) == end.seq() ? end.unrewarded() : end;
    }

    /** Returns the number of its steps that have ended. */
    public int steps() {
        return known.steps();
    }

    /**
     * The end of a run whose process died, at the time of the last event that is known of it. Always the same for the
     * same events, so that to make it up again does no harm.
     */
    public RunEnded abandoned(String runPath) {
        return known.abandoned().run(run).runPath(runPath).build();
    }

    /** Returns what is known of it: all once its start has been read, else what its first line tells. */
    public RunInfo run() {
        return run;
    }
}
