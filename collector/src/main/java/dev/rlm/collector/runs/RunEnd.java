package dev.rlm.collector.runs;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * End of a run that was made, after which rewards alone are added to it.
 *
 * @param start of the run in nanoseconds since 1970
 * @param end of the run in nanoseconds since 1970
 * @param lastSeq the number of its last event
 */
public record RunEnd(long start, long end, long lastSeq) {
    /** Returns the end among the events of a run with that id, as it is after all of them; {@code before} where there is none. */
    public static @Nullable RunEnd of(String runId, List<RunEvent> events, @Nullable RunEnd before) {
        RunEnd end = before;
        for (RunEvent event : events) {
            if (event.run().runId().equals(runId)) {
                if (event instanceof RunEnded) {
                    long start = OwnInfo.epochNanos(event.run().startedAt());
                    end = new RunEnd(start, start + event.nanos(), event.seq());
                } else if (end != null) {
                    end = new RunEnd(end.start(), end.end(), Math.max(end.lastSeq(), event.seq()));
                }
            }
        }
        return end;
    }
}
