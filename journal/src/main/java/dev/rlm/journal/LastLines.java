package dev.rlm.journal;

import dev.rlm.journal.format.segment.Segment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Tells, while a journal's lines are gone through, which run each of them is the last of. */
final class LastLines {
    private final Map<Segment, List<LastLine>> bySegment = new HashMap<>();
    private @Nullable Segment segment;
    private final Queue<LastLine> ahead = new ArrayDeque<>(); // of the segment
    private long next = Long.MAX_VALUE;

    LastLines(Collection<RunSummary> runs) {
        for (RunSummary run : runs) {
            LinePosition last = run.places().lastLine();
            bySegment
                    .computeIfAbsent(last.segment(), file -> new ArrayList<>())
                    .add(new LastLine(last.line(), run.runId()));
        }
        bySegment.values().forEach(lines -> lines.sort(Comparator.comparingLong(LastLine::number)));
    }

    /** The run whose last line that is, or stood in front of it and can no longer be read; {@code null} where there is none. */
    @Nullable
    String endedBy(Segment file, long line) {
        if (!file.equals(segment)) {
            segment = file;
            ahead.clear();
            ahead.addAll(bySegment.getOrDefault(file, List.of()));
            lookAhead();
        }
        if (line < next) {
            return null;
        }
        LastLine last = ahead.remove();
        lookAhead();
        return last.runId();
    }

    private void lookAhead() {
        LastLine first = ahead.peek();
        next = first == null ? Long.MAX_VALUE : first.number();
    }

    private record LastLine(long number, String runId) {}
}
