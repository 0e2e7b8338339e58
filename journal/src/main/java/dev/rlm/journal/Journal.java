package dev.rlm.journal;

import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.LineText;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.journal.index.IndexedLine;
import dev.rlm.journal.line.EventReader;
import dev.rlm.journal.line.Fields;
import dev.rlm.journal.line.LineBlock;
import dev.rlm.journal.line.SummaryFile;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.schema.GatewayRuns;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The records of all writers under a folder, as they were when it was opened. Reading never writes, and asks no writer
 * to wait.
 *
 * <p>Lines that are damaged, as the last one of a writer that was killed may be, are passed over and counted.
 */
public final class Journal {
    private static final int SCATTERED =
            1_000; // runs of several folders, which are held in memory until the last was read
    private static final int FEW = 4; // times as many runs as are chosen: then these are read one by one

    private final Path directory;
    private final List<Path> writers;
    private final JournalScan scan;
    private final RunSummary.Reading reading = new RunSummary.Reading();
    private final List<RunSummary> runs;
    private final List<RunSummary> onlyScored = new ArrayList<>();
    private final List<RunSummary> parts = new ArrayList<>();
    private final Map<String, RunSummary> byId = new HashMap<>(); // guarded by this; made when it is first asked for

    private Journal(Path directory, List<Path> writers, JournalScan scan) {
        this.directory = directory;
        this.writers = writers;
        this.scan = scan;
        this.runs = Collections.unmodifiableList(summaries(scan.runs().values().iterator()));
    }

    /** Puts aside what is no run any more. */
    private List<RunSummary> summaries(Iterator<RunPlaces> places) {
        List<RunSummary> summaries = new ArrayList<>();
        while (places.hasNext()) {
            RunPlaces run = places.next();
            (run.isOnlyScored() ? onlyScored : summaries).add(new RunSummary(run, reading));
            places.remove(); // there may be very many
        }
        summaries.sort(Comparator.comparing(RunSummary::startedAt).thenComparing(RunSummary::runId));
        return withoutParts(summaries);
    }

    private List<RunSummary> withoutParts(List<RunSummary> all) {
        if (all.stream().allMatch(run -> run.caller() == null)) {
            return all;
        }
        Map<String, RunSummary> ids = new HashMap<>();
        all.forEach(run -> ids.put(run.runId(), run));
        List<RunSummary> others = new ArrayList<>();
        all.forEach(run -> (isPart(run, ids.get(run.caller())) ? parts : others).add(run));
        return others;
    }

    private static boolean isPart(RunSummary run, @Nullable RunSummary caller) {
        return caller != null
                && GatewayRuns.isPart(run.row().run(), caller.row().run());
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
        return open(directory, new JournalScan(new KeptText(0), cache));
    }

    /**
     * {@link #open(Path, IndexCache)} for a program that reads the events of its runs next: text that was decompressed is kept until
     * then, up to an eighth of the heap and 256 MiB.
     */
    public static Journal openToRead(Path directory, IndexCache cache) {
        return open(directory, new JournalScan(new KeptText(), cache));
    }

    /**
     * {@link #open(Path, IndexCache)} of what some of the {@linkplain #writerFolders writers} recorded: a part of a journal, for programs
     * that read its parts in several processes.
     *
     * @throws JournalException if the folder of one is gone, or cannot be read
     */
    public static Journal open(Path directory, List<Path> writers, IndexCache cache) {
        JournalScan scan = new JournalScan(new KeptText(0), cache);
        for (Path writer : writers) {
            scan.read(writer);
            if (Files.notExists(writer)) {
                throw JournalException.unreadable(directory, new NoSuchFileException(writer.toString()));
            }
        }
        return new Journal(directory, List.copyOf(writers), scan);
    }

    /**
     * Returns the folders of the writers of a journal, in the order of their names. A run may be in several.
     *
     * @throws JournalException if there is no journal, or it cannot be read
     */
    public static List<Path> writerFolders(Path directory) {
        return WriterFolders.existing(directory);
    }

    private static Journal open(Path directory, JournalScan scan) {
        List<Path> writers = WriterFolders.existing(directory);
        writers.forEach(scan::read);
        return new Journal(directory, writers, scan);
    }

    /** The run of that id as this journal tells of it; {@code null} where there is none. */
    public synchronized @Nullable RunSummary find(String runId) {
        if (byId.isEmpty()) {
            runs.forEach(run -> byId.put(run.runId(), run));
            onlyScored.forEach(run -> byId.put(run.runId(), run));
            parts.forEach(run -> byId.put(run.runId(), run));
        }
        return byId.get(runId);
    }

    /**
     * Returns whether anything was recorded in the folder.
     *
     * @throws JournalException if that cannot be found out
     */
    public static boolean isAt(Path directory) {
        try {
            return Files.isDirectory(directory)
                    && !JournalFolder.writers(directory).isEmpty();
        } catch (IOException e) {
            throw JournalException.unreadable(directory, e);
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
                for (Path writer : JournalFolder.writers(directory)) {
                    ids.addAll(SummaryFile.runIds(writer));
                }
            }
            return ids;
        } catch (IOException e) {
            throw JournalException.unreadable(directory, e);
        }
    }

    /** The folder that a configuration says, whichever sink's it is; the usual one where it says none. */
    public static Path configured(SinkConfig config) {
        return JournalFolder.configured(config);
    }

    /** The folder that was opened. */
    public Path directory() {
        return directory;
    }

    /** All runs in the order of their starts, but for {@link #parts} of others. */
    public List<RunSummary> runs() {
        return runs;
    }

    /**
     * Remains of runs that were deleted: second opinions that came when the run was gone, or lie in the folder of a writer
     * that is younger. They are none of {@link #runs()}.
     */
    public List<RunSummary> onlyScored() {
        return Collections.unmodifiableList(onlyScored);
    }

    /**
     * Runs in which a gateway recorded the calls of one of {@link #runs()}, in the order of their starts. They are none of these: each
     * rollout counts once.
     */
    public List<RunSummary> parts() {
        return Collections.unmodifiableList(parts);
    }

    /** Returns the runs, and of those that have them their {@link #parts}. */
    public List<RunSummary> withParts(Collection<RunSummary> chosen) {
        List<RunSummary> all = new ArrayList<>(chosen);
        if (!parts.isEmpty()) {
            Set<String> ids = chosen.stream().map(RunSummary::runId).collect(Collectors.toSet());
            parts.stream()
                    .filter(run -> ids.contains(run.caller()) && !ids.contains(run.runId()))
                    .forEach(all::add);
        }
        return all;
    }

    /** The numbers that belong to no run, as they came. */
    public List<MetricsReported> metrics() {
        return scan.metrics();
    }

    /**
     * Reads the spans that belong to no run, such as those of jobs, in the order in which they ended; those that cannot be read any
     * more are missing.
     */
    public List<StandaloneSpanRecorded> spans() {
        List<StandaloneSpanRecorded> spans = new ArrayList<>();
        for (JournalScan.SpanPlace place : scan.spans()) {
            try {
                byte[] line = reading.text().line(place.segment(), place.offset());
                spans.add((StandaloneSpanRecorded)
                        EventReader.readApart(EventType.STANDALONE_SPAN_RECORDED, Fields.parse(line, 0, line.length)));
            } catch (IOException | RuntimeException e) {
                // it is gone, or damaged by now
            }
        }
        spans.sort(Comparator.comparing(StandaloneSpanRecorded::time));
        return spans.stream().distinct().toList(); // one may have been sent again, when its answer was lost
    }

    /**
     * Returns the last ledger of each writer, by its folder: that of the close or, if the process was killed, of the
     * last flush before. Writers that wrote none are missing.
     */
    public Map<Path, LedgerReported> ledgers() {
        return scan.ledgers();
    }

    /**
     * Returns the state of each writer by now, in the order of their starts, also of several that wrote into one folder.
     */
    public List<WriterStatus> writers() {
        return scan.writers().entrySet().stream()
                .filter(writer -> !JournalFolder.isMerged(writer.getKey()))
                .map(writer -> WriterStatus.of(
                        writer.getKey(), writer.getValue(), scan.ledgers().get(writer.getKey())))
                .toList();
    }

    /**
     * Returns the number of damaged lines that were passed over: each is not one whole JSON object, or was read and
     * lacks what its event must tell. Half a line at the end counts if its writer is gone. Lines of unknown kinds are
     * passed over and do not count.
     */
    public long damagedLines() {
        return scan.damagedLines();
    }

    /**
     * The run of that id, or of {@code last} the run that started last, or the only one whose id begins like that, or that is an
     * attempt at the rollout of that id; by its own id also one of those that are {@linkplain #onlyScored only scored}, and of {@link #parts}.
     *
     * @throws JournalException if there is none, or more than one; the message names candidates
     */
    public RunSummary run(String name) {
        List<RunSummary> others =
                Stream.concat(onlyScored.stream(), parts.stream()).toList();
        return RunIds.resolve(name, others, runs, directory);
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
     * Reads all events of some runs in one pass over the files, and hands each run over as soon as the last of its
     * events has been read: no more is held in memory than the runs that were open at the same time, and a thousand of
     * those that were given something later, which come last where there are more. It does not wait for anything
     * recorded after the journal was opened; what was deleted since is missing.
     *
     * @param chosen of {@link #runs()}
     * @return number of damaged lines that were passed over, of whichever run; see {@link #damagedLines}
     * @throws JournalException if a file cannot be read
     */
    public long read(Collection<RunSummary> chosen, RunReader reader) {
        return readTypes(
                chosen, EventReader.typesOfRuns(), (run, events) -> () -> reader.read(run, events), Runnable::run);
    }

    /**
     * {@link #read(Collection, RunReader)}, which makes something of each run on any core: for what takes long, such as a text.
     *
     * @param maker called by several threads at once, each for another run
     * @param taker called on the caller's thread, with what was made of the runs in the order of their last lines
     */
    public <T> long read(
            Collection<RunSummary> chosen, BiFunction<RunSummary, List<RunEvent>, T> maker, Consumer<T> taker) {
        return readTypes(chosen, EventReader.typesOfRuns(), maker, taker);
    }

    /**
     * The same, of events of these kinds alone. The lines of others are passed over by their beginnings: that is several
     * times as fast, and damage in them does not count.
     */
    public long read(Collection<RunSummary> chosen, Set<Class<? extends RunEvent>> kinds, RunReader reader) {
        return readTypes(
                chosen, EventReader.types(kinds), (run, events) -> () -> reader.read(run, events), Runnable::run);
    }

    /** {@link #read(Collection, BiFunction, Consumer)} of events of these kinds alone, in the same way. */
    public <T> long read(
            Collection<RunSummary> chosen,
            Set<Class<? extends RunEvent>> kinds,
            BiFunction<RunSummary, List<RunEvent>, T> maker,
            Consumer<T> taker) {
        return readTypes(chosen, EventReader.types(kinds), maker, taker);
    }

    private <T> long readTypes(
            Collection<RunSummary> chosen,
            Set<String> types,
            BiFunction<RunSummary, List<RunEvent>, T> maker,
            Consumer<T> taker) {
        Map<Boolean, List<RunSummary>> byScatter = chosen.stream()
                .collect(Collectors.partitioningBy(run -> run.folders().size() > 1));
        List<RunSummary> scattered = byScatter.getOrDefault(true, List.of());
        if (scattered.size() <= SCATTERED) {
            return readTypes(chosen, areFew(chosen), types, maker, taker);
        }
        List<RunSummary> others = byScatter.getOrDefault(false, List.of());
        long damaged = readTypes(others, areFew(others), types, maker, taker);
        for (int from = 0; from < scattered.size(); from += SCATTERED) {
            List<RunSummary> part = scattered.subList(from, Math.min(scattered.size(), from + SCATTERED));
            damaged = Math.max(damaged, readTypes(part, true, types, maker, taker));
        }
        return damaged;
    }

    private <T> long readTypes(
            Collection<RunSummary> chosen,
            boolean few,
            Set<String> types,
            BiFunction<RunSummary, List<RunEvent>, T> maker,
            Consumer<T> taker) {
        RunPass<T> pass = new RunPass<>(chosen, types, maker, taker);
        try {
            long damaged = few ? readLinesOf(chosen, pass) : readAll(pass);
            pass.handOverAll();
            return few ? damaged : damaged + pass.damaged();
        } catch (IOException e) {
            throw JournalException.unreadable(directory, e);
        }
    }

    /** Returns whether reading these runs one by one takes less time than reading all. */
    public boolean areFew(Collection<RunSummary> chosen) {
        return FEW * chosen.size() < runs.size();
    }

    /** Reads all lines, and returns how many are damaged. */
    public long readAll(WriterLines.Reader reader) throws IOException {
        WriterLines all = new WriterLines(reader, scan.kept()::take);
        for (Path writer : writers) {
            all.read(writer, WriterLock.isHeld(writer));
        }
        return all.damaged();
    }

    /**
     * Reads the lines of some runs alone, segment by segment; all lines where a file was rewritten since. Lines of kinds that are not
     * known here may be missing.
     *
     * @return number of damaged lines of the journal, as far as it was read
     */
    public long readLinesOf(Collection<RunSummary> chosen, WriterLines.Reader reader) throws IOException {
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
                // it is gone, or damaged by now: what is missing shows as a gap in the numbers
            }
        }
        reader.passed(segment, known.number());
    }

    /** Returns the places of runs by their segments, in the order of reading. */
    private Map<Segment, List<RunPlaces>> places(Collection<RunSummary> chosen) {
        Map<Path, Integer> order = new HashMap<>();
        writers.forEach(writer -> order.put(writer, order.size()));
        Map<Segment, List<RunPlaces>> segments =
                new TreeMap<>(Comparator.<Segment>comparingInt(segment -> order.getOrDefault(segment.folder(), 0))
                        .thenComparingInt(Segment::number));
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
}
