package dev.rlm.journal;

import dev.rlm.journal.format.segment.DamagedFileException;
import dev.rlm.journal.format.segment.LineFile;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.line.EventReader;
import dev.rlm.journal.line.Fields;
import dev.rlm.journal.line.LineHead;
import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads one run's events from its writers' files, again and again while these grow. For one thread at a time. */
public final class RunTail {
    private final String runId;
    private final EventReader reader;
    private final Map<Segment, Long> offsets = new HashMap<>(); // behind what is in the index
    private final Set<Segment> finished = new HashSet<>();
    private final Set<Long> seen = new HashSet<>();
    private final Journal journal;
    private final RunSummary run; // as the journal tells of it
    private boolean begun;

    /** A reader that has read nothing. */
    RunTail(Journal journal, RunSummary run) {
        this.runId = run.runId();
        this.reader = new EventReader(run.run());
        this.journal = journal;
        this.run = run;
        Map<Segment, Long> ends = journal.ends();
        offsets.putAll(ends);
        for (Segment segment : ends.keySet()) {
            if (ends.containsKey(new Segment(segment.folder(), segment.number() + 1))) {
                finished.add(segment); // there was a later one: see #read
            }
        }
    }

    /**
     * The events that have come since the last call, each once, as they lie in the files: by number, save those that
     * were recorded by several threads at once.
     *
     * @throws JournalException if a file cannot be read
     */
    public List<RunEvent> poll() {
        List<RunEvent> events = new ArrayList<>();
        if (!begun) {
            begun = true;
            run.places().all().forEach(place -> readPlaces(place, events));
        }
        try {
            for (Path writer : run.folders()) {
                List<Segment> segments = Segment.of(writer);
                for (Segment segment : segments) {
                    read(segment, !segment.equals(segments.get(segments.size() - 1)), events);
                }
            }
        } catch (IOException e) {
            throw new JournalException("run " + runId + " cannot be read: " + e, e);
        }
        return events;
    }

    private void readPlaces(RunPlaces place, List<RunEvent> events) {
        try {
            place.read(type -> true, journal.text(), (bytes, from, length) -> line(bytes, from, length, events));
        } catch (IOException e) {
            // it is gone, or damaged by now: what is missing shows as a gap in the numbers
        }
    }

    /**
     * Reads what is new in a segment; nothing once it can grow no more.
     *
     * @param closed whether there was a later one before this is read: to the earlier ones nothing is appended
     */
    private void read(Segment segment, boolean closed, List<RunEvent> events) throws IOException {
        if (finished.contains(segment)) {
            return;
        }
        LineFile.Lines lines = (bytes, from, length) -> line(bytes, from, length, events);
        try {
            long offset = offsets.getOrDefault(segment, 0L);
            offsets.put(
                    segment, segment.read(offset, lines, lines).offset()); // the rest comes again, and is known then
        } catch (DamagedFileException e) {
            finished.add(segment); // it was compressed, and can be read no further: that is damage like any other
        }
        if (closed) {
            finished.add(segment);
        }
    }

    private void line(byte[] bytes, int from, int length, List<RunEvent> events) {
        LineHead head = LineHead.of(bytes, from, length);
        if (head == null || !head.runId().equals(runId)) {
            return;
        }
        try {
            RunEvent event = reader.read(Fields.parse(bytes, from, length));
            if (event != null && seen.add(event.seq())) {
                events.add(event);
            }
        } catch (RuntimeException e) {
            // a damaged line: what is missing shows as a gap in the numbers
        }
    }

    /**
     * Returns whether one of the run's writers lives. Call it before {@link #poll}, which then reads all that came
     * before its death.
     */
    public boolean isLive() {
        return run.isWriterHeld();
    }
}
