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
 */
public record RunEnd(long start, long end) {
    /** Returns the end among the events of a run with that id; {@code before} where there is none. */
    public static @Nullable RunEnd of(String runId, List<RunEvent> events, @Nullable RunEnd before) {
        RunEnd end = before;
        for (RunEvent event : events) {
            if (event instanceof RunEnded && event.run().runId().equals(runId)) {
                long start = OwnInfo.epochNanos(event.run().startedAt());
                end = new RunEnd(start, start + event.nanos());
            }
        }
        return end;
    }
}
