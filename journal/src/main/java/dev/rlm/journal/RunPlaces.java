package dev.rlm.journal;

import dev.rlm.journal.format.segment.LineFile;
import dev.rlm.journal.format.segment.LineText;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.journal.index.EventRow;
import dev.rlm.journal.index.EventRows;
import dev.rlm.journal.index.IndexChunk;
import dev.rlm.journal.index.IndexedLine;
import dev.rlm.journal.index.RunRow;
import dev.rlm.journal.line.LineHead;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.schema.LateEvents;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A run in the indexes of a journal: nearly always in one chunk of one segment.
 *
 * @param earlier in the order of reading; {@code null} where this is the first
 */
record RunPlaces(
        Source source,
        Segment segment,
        IndexChunk.Run run,
        @Nullable RunPlaces earlier) {
    /**
     * A writer.
     *
     * @param folder in which its lines lie
     * @param writer the folder that it would have alone, whose name is its own
     * @param alive whether it lived when the lines were read
     */
    record Source(Path folder, Path writer, boolean alive) {
        /** Returns whether it lives now, or is being recovered. */
        boolean isHeld() throws IOException {
            return WriterLock.isHeld(folder) && isHolder(WriterLock.holder(folder), folder, writer);
        }

        /** Returns whether the holder of a folder's lock is that writer: each is, where the lock names none. */
        static boolean isHolder(String holder, Path folder, Path writer) {
            return holder.isEmpty() || writer.equals(folder.resolveSibling(holder));
        }
    }

    /** Returns the same, behind others. */
    RunPlaces after(RunPlaces before) {
        return new RunPlaces(source, segment, run, before);
    }

    /** Returns all of them, each without those before it, in the order of reading. */
    List<RunPlaces> all() {
        List<RunPlaces> all = new ArrayList<>();
        for (RunPlaces each = this; each != null; each = each.earlier()) {
            all.add(each);
        }
        Collections.reverse(all);
        return all;
    }

    /** Returns the first in the order of reading. */
    RunPlaces first() {
        return earlier == null ? this : earlier.first();
    }

    /** Returns what they tell together. */
    RunRow row() {
        if (earlier == null) {
            return run.row();
        }
        return RunRowBuilder.row(lines()).withModelOf(events());
    }

    private List<IndexedLine> lines() {
        List<IndexedLine> lines = new ArrayList<>();
        all().forEach(place -> lines.addAll(place.run().lines()));
        return lines;
    }

    /** Returns how many events have the number of another. A line that comes again is the same one, and so is a late reward. */
    long hiddenEvents() {
        Set<Told> told = new HashSet<>();
        Set<Long> numbers = new HashSet<>();
        for (IndexedLine line : lines()) {
            if (!LateEvents.isLate(line.seq()) || !line.type().equals(EventType.REWARD_GIVEN.label())) {
                told.add(new Told(line.seq(), line.nanos(), line.type()));
                numbers.add(line.seq());
            }
        }
        return (long) told.size() - numbers.size();
    }

    private record Told(long seq, long nanos, String type) {}

    /** Returns the rows of its events by their numbers, each once. */
    Collection<EventRow> events() {
        if (earlier == null) {
            return run.events();
        }
        List<EventRow> rows = new ArrayList<>();
        all().forEach(place -> rows.addAll(place.run().events()));
        return EventRows.bySeq(rows);
    }

    /** Returns where its last line stands, be it one that came again or could not be read. */
    LinePosition lastLine() {
        return new LinePosition(segment, run.row().lastLine());
    }

    /** Returns whether its lines stand where the index says: a file may have been rewritten since. */
    boolean stand(LineText text) {
        List<IndexedLine> lines = run.lines();
        return stands(lines.get(0), text) && stands(lines.get(lines.size() - 1), text);
    }

    private boolean stands(IndexedLine line, LineText text) {
        try {
            byte[] bytes = text.line(segment, line.offset());
            LineHead head = LineHead.of(bytes, 0, bytes.length);
            return head != null && head.runId().equals(run.id()) && head.seq() == line.seq();
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /**
     * Reads lines of the run, and others where the file was rewritten; those before the first one that cannot be read any more.
     *
     * @param wanted tells by their types which
     */
    void read(Predicate<String> wanted, LineText text, LineFile.Lines lines) throws IOException {
        if (stand(text)) {
            for (IndexedLine line : run.lines()) {
                if (wanted.test(line.type())) {
                    byte[] bytes = text.line(segment, line.offset());
                    lines.accept(bytes, 0, bytes.length);
                }
            }
        } else {
            segment.read(0, lines, lines);
        }
    }

    boolean isAlive() {
        return all().stream().anyMatch(place -> place.source().alive());
    }

    /** Returns whether nothing of it is there but second opinions. */
    boolean isOnlyScored() {
        return run.isOnlyScored() && (earlier == null || earlier.isOnlyScored());
    }

    /** Returns its writers, in the order of reading. */
    List<Source> sources() {
        return all().stream().map(RunPlaces::source).distinct().toList();
    }

    /** Returns the folders of its writers, in the order of reading. */
    List<Path> folders() {
        Set<Path> folders = new LinkedHashSet<>();
        all().forEach(place -> folders.add(place.source().folder()));
        return List.copyOf(folders);
    }
}
