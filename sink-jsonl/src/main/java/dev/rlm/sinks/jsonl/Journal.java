package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.index.IndexCache;
import dev.rlm.sinks.jsonl.index.IndexedLine;
import dev.rlm.sinks.jsonl.segment.LineText;
import dev.rlm.sinks.jsonl.segment.Segment;
import dev.rlm.sinks.jsonl.segment.WriterLock;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all writers under a folder had recorded when it was opened. Reading never writes, and asks no writer to wait.
 *
 * <p>Lines that are damaged, as the last one of a writer that was killed may be, are passed over and counted.
 */
public final class Journal {
    private static final int FEW = 4; // times as many runs as are chosen: then these are read one by one

    private static final int ATTEMPTS = 5;

    private final Path directory;
    private final List<Path> writers;
    private final JournalScan scan;
    private final Supplier<JournalScan> scans;
    private final RunSummary.Reading reading = new RunSummary.Reading(this::later);
    private final List<RunSummary> runs;
    private @Nullable Journal later; // guarded by this, as is the next
    private final Map<String, RunSummary> byId = new HashMap<>(); // made when it is first asked for

    private Journal(Path directory, List<Path> writers, JournalScan scan, Supplier<JournalScan> scans) {
        this.scans = scans;
        this.directory = directory;
        this.writers = writers;
        this.scan = scan;
        this.runs = Collections.unmodifiableList(summaries(scan.runs().values().iterator()));
    }

    private List<RunSummary> summaries(Iterator<RunPlaces> places) {
        List<RunSummary> summaries = new ArrayList<>();
        while (places.hasNext()) {
            summaries.add(new RunSummary(places.next(), reading));
            places.remove(); // there may be very many
        }
        summaries.sort(Comparator.comparing(RunSummary::startedAt).thenComparing(RunSummary::runId));
        return summaries;
    }

    /**
     * Reads the journal in a folder, or what one of its writers has recorded.
     *
     * @throws JournalException if there is none, or it cannot be read
     */
    public static Journal open(Path directory) {
        return open(directory, IndexCache.NONE);
    }

    /** {@link #open(Path)}, which reads of a file its index where that is kept, and keeps it where it is not. */
    public static Journal open(Path directory, IndexCache cache) {
        return open(directory, () -> new JournalScan(new KeptText(0), cache));
    }

    /**
     * {@link #open(Path, IndexCache)} for a program that reads the events of its runs next: text that was decompressed is kept until
     * then, up to an eighth of the heap and 256 MiB.
     */
    public static Journal openToRead(Path directory, IndexCache cache) {
        return open(directory, () -> new JournalScan(new KeptText(), cache));
    }

    /** Reads once more where folders were merged meanwhile: they may have gone before they were read. */
    private static Journal open(Path directory, Supplier<JournalScan> scans) {
        try {
            for (int attempt = 1; ; attempt++) {
                JournalScan scan = scans.get();
                List<Path> writers = JournalFolder.existing(directory);
                writers.forEach(scan::read);
                if (attempt == ATTEMPTS
                        || JournalFolder.mergedSince(directory, writers).isEmpty()) {
                    return new Journal(directory, writers, scan, scans);
                }
            }
        } catch (IOException e) {
            throw JournalFolder.unreadable(directory, e);
        }
    }

    /** The same journal as it is now, where folders were merged since this one was opened; else this one. */
    synchronized Journal later() {
        try {
            if (later == null && !JournalFolder.mergedSince(directory, writers).isEmpty()) {
                later = open(directory, scans);
            }
            return later == null ? this : later;
        } catch (IOException e) {
            throw JournalFolder.unreadable(directory, e);
        }
    }

    /** The run of that id as this journal tells of it; {@code null} where there is none. */
    synchronized @Nullable RunSummary find(String runId) {
        if (byId.isEmpty()) {
            runs.forEach(run -> byId.put(run.runId(), run));
        }
        return byId.get(runId);
    }

    /**
     * Whether anything was recorded in the folder.
     *
     * @throws JournalException if that cannot be found out
     */
    public static boolean isAt(Path directory) {
        try {
            return Files.isDirectory(directory)
                    && !JournalFolder.writers(directory).isEmpty();
        } catch (IOException e) {
            throw JournalFolder.unreadable(directory, e);
        }
    }

    /**
     * The ids of the runs that have ended in the journal in a folder, where there is one; faster than to open it.
     *
     * @throws JournalException if it cannot be read
     */
    public static Set<String> endedRuns(Path directory) {
        try {
            Set<String> ids = new HashSet<>();
            if (Files.isDirectory(directory)) {
                List<Path> writers = JournalFolder.writers(directory);
                for (Path writer : writers) {
                    ids.addAll(SummaryFile.runIds(writer));
                }
                for (Path merged : JournalFolder.mergedSince(directory, writers)) {
                    ids.addAll(SummaryFile.runIds(merged)); // of folders that may have gone before they were read
                }
            }
            return ids;
        } catch (IOException e) {
            throw JournalFolder.unreadable(directory, e);
        }
    }

    /** The folder that a configuration says, whichever sink's it is; the usual one where it says none. */
    public static Path configured(SinkConfig config) {
        return config.shared().path(JsonlSink.DIR_VARIABLE).orElse(Path.of(JsonlSink.DEFAULT_DIR));
    }

    /** The folder that was opened. */
    public Path directory() {
        return directory;
    }

    /** All runs in the order of their starts. */
    public List<RunSummary> runs() {
        return runs;
    }

    /** The numbers that belong to no run, as they came. */
    public List<MetricsReported> metrics() {
        return scan.metrics();
    }

    /**
     * How every sink of a process stood when its writer last told it, by the writer's folder: at the close, or where the
     * process was killed, at the last flush before. Writers that told nothing are missing.
     */
    public Map<Path, LedgerReported> ledgers() {
        return scan.ledgers();
    }

    /**
     * How many lines were passed over because they are damaged: not one whole JSON object, or without what the event on
     * them must tell where that was read. Half a line at the end counts where its writer is gone. Lines of kinds that are
     * not known here are passed over and do not count.
     */
    public long damagedLines() {
        return scan.damagedLines();
    }

    /**
     * The run of that id, or of {@code last} the run that started last, or the only one whose id begins like that.
     *
     * @throws JournalException if there is none, or more than one; the message names candidates
     */
    public RunSummary run(String idOrPrefix) {
        List<String> ids = runs.stream().map(RunSummary::runId).toList();
        return runs.get(ids.indexOf(RunIds.resolve(idOrPrefix, ids, directory)));
    }

    /**
     * All events of the run by number, each once.
     *
     * @throws JournalException if there is no such run, or its files cannot be read
     */
    public List<RunEvent> events(String runId) {
        RunEvents events = new RunEvents();
        follow(runId).poll().forEach(events::add);
        return events.all();
    }

    /**
     * Reads all events of some runs in one pass over the files, and hands each run over as soon as the last of its events
     * has been read: no more is held in memory than the runs that were open at the same time, and those that were given a
     * late reward. Of what was recorded after the journal was opened nothing is waited for; what was deleted since is missing.
     *
     * @param chosen of {@link #runs()}
     * @return how many damaged lines were passed over, of whichever run; see {@link #damagedLines}
     * @throws JournalException if a file cannot be read
     */
    public long read(Collection<RunSummary> chosen, RunReader reader) {
        return readTypes(chosen, EventReader.typesOfRuns(), reader);
    }

    /**
     * The same, of events of these kinds alone. The lines of others are passed over by their beginnings: that is several
     * times as fast, and damage in them does not count.
     */
    public long read(Collection<RunSummary> chosen, Set<Class<? extends RunEvent>> kinds, RunReader reader) {
        return readTypes(chosen, EventReader.types(kinds), reader);
    }

    private long readTypes(Collection<RunSummary> chosen, Set<String> types, RunReader reader) {
        RunPass pass = new RunPass(chosen, types, reader);
        try {
            long damaged = areFew(chosen) ? readLinesOf(chosen, pass) : readAll(pass);
            pass.handOverTheRest();
            return damaged;
        } catch (FolderGoneException e) {
            return readRest(pass, types, reader);
        } catch (IOException e) {
            throw JournalFolder.unreadable(directory, e);
        }
    }

    /** Reads the runs that are left after folders have gone: their lines may lie in a merged one. */
    private long readRest(RunPass pass, Set<String> types, RunReader reader) {
        Map<String, RunSummary> rest = pass.waiting();
        Journal now = later();
        List<RunSummary> found =
                now.runs().stream().filter(run -> rest.containsKey(run.runId())).toList();
        long damaged = now.readTypes(
                found, types, (run, events) -> reader.read(Objects.requireNonNull(rest.remove(run.runId())), events));
        rest.values().forEach(run -> reader.read(run, List.of()));
        return damaged;
    }

    private void checkIsThere(Path writer) throws FolderGoneException {
        if (Files.notExists(writer) && !later().equals(this)) { // else it was deleted
            throw new FolderGoneException(writer);
        }
    }

    /** Whether to read these runs one by one takes less time than to read all. */
    boolean areFew(Collection<RunSummary> chosen) {
        return FEW * chosen.size() < runs.size();
    }

    /** Reads all lines, and returns how many are damaged. */
    long readAll(WriterLines.Reader reader) throws IOException {
        WriterLines all = new WriterLines(reader, scan.kept()::take);
        for (Path writer : writers) {
            all.read(writer, WriterLock.isHeld(writer));
            checkIsThere(writer);
        }
        return all.damaged();
    }

    /**
     * Reads the lines of some runs alone, segment by segment; all lines where a file was rewritten since. Lines of kinds that are not
     * known here may be missing.
     *
     * @return how many lines of the journal are damaged, as far as they were read
     */
    long readLinesOf(Collection<RunSummary> chosen, WriterLines.Reader reader) throws IOException {
        Map<Segment, List<RunPlaces>> segments = places(chosen);
        if (!segments.values().stream().allMatch(places -> places.get(0).stand(reading.text()))) {
            return readAll(reader);
        }
        for (Map.Entry<Segment, List<RunPlaces>> places : segments.entrySet()) {
            List<IndexedLine> lines = places.getValue().stream()
                    .flatMap(place -> place.run().lines().stream())
                    .sorted(Comparator.comparingLong(IndexedLine::offset))
                    .toList();
            for (IndexedLine line : lines) {
                read(places.getKey(), line, reader);
            }
        }
        return scan.damagedLines();
    }

    private void read(Segment segment, IndexedLine known, WriterLines.Reader reader) throws IOException {
        if (reader.wants(known.type())) {
            try {
                byte[] bytes = reading.text().line(segment, known.offset());
                LineBlock.Line line = LineBlock.ofOne(bytes, 0, bytes.length, known.offset())
                        .lines()
                        .get(0);
                if (line != null && line.head().runId().equals(known.runId())) {
                    reader.line(segment, line);
                }
            } catch (ClosedByInterruptException | ReplayStoppedException e) {
                throw e;
            } catch (IOException | RuntimeException e) {
                checkIsThere(
                        segment.folder()); // else it is damaged by now: what is missing shows as a gap in the numbers
            }
        }
        reader.passed(segment, known.number());
    }

    private static Map<Segment, List<RunPlaces>> places(Collection<RunSummary> chosen) {
        Map<Segment, List<RunPlaces>> segments = new LinkedHashMap<>();
        for (RunSummary run : chosen) {
            for (RunPlaces place : run.places().all()) {
                segments.computeIfAbsent(place.segment(), segment -> new ArrayList<>())
                        .add(place);
            }
        }
        return segments;
    }

    /** Takes the runs of a journal, one at a time. */
    @FunctionalInterface
    public interface RunReader {
        /** A run, and its events by number, each once. */
        void read(RunSummary run, List<RunEvent> events);
    }

    /**
     * A reader of the run's events that goes on where the journal grows.
     *
     * @throws JournalException if there is no such run
     */
    public RunTail follow(String runId) {
        return new RunTail(this, run(runId));
    }

    LineText text() {
        return reading.text();
    }

    /** Returns how much of the text of each segment is in the index. */
    Map<Segment, Long> ends() {
        return scan.ends();
    }

    /** A folder was merged into another one since the journal was opened. */
    static final class FolderGoneException extends IOException {
        private static final long serialVersionUID = 1;

        FolderGoneException(Path folder) {
            super(folder + " was merged into another folder meanwhile: try again");
        }
    }
}
