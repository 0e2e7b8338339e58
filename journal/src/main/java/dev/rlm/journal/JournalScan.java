package dev.rlm.journal;

import dev.rlm.journal.format.JournalHeader;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.journal.index.IndexBuilder;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.journal.index.IndexChunk;
import dev.rlm.journal.index.IndexedLine;
import dev.rlm.journal.index.SegmentIndex;
import dev.rlm.journal.line.EventReader;
import dev.rlm.journal.line.Fields;
import dev.rlm.journal.line.LineBlock;
import dev.rlm.journal.line.LineHead;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.OriginalSpan;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.schema.RewardVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One pass over all files of a journal, or over the indexes of those that are known. Of most lines it reads the head alone. */
public final class JournalScan {
    private static final Set<String> READ_HEADS_OF =
            Set.of(EventType.STEP_STARTED.label(), EventType.STEP_ENDED.label());

    private static final int SHORT = 64; // characters: a name, a digest

    private final Map<String, RunPlaces> runs = new LinkedHashMap<>(); // nearly in the order of their starts
    private final Set<MetricsReported> metrics =
            new LinkedHashSet<>(); // the same comes again where a group was written twice
    private final Map<Path, LedgerReported> ledgers = new LinkedHashMap<>();
    private final SortedMap<Path, Path> writers = new TreeMap<>();
    private final List<SpanPlace> spans = new ArrayList<>(); // standalone ones
    private final Map<Segment, Long> ends = new HashMap<>();
    private final KeptText kept;
    private final IndexCache cache;
    private long damagedLines;

    /** A pass that has not begun. */
    JournalScan(KeptText kept, IndexCache cache) {
        this.kept = kept;
        this.cache = cache;
    }

    KeptText kept() {
        return kept;
    }

    /** Returns the places of all runs by their ids; to be taken out, since there may be very many. */
    Map<String, RunPlaces> runs() {
        return runs;
    }

    /** Returns how much of the text of each segment was read. */
    Map<Segment, Long> ends() {
        return ends;
    }

    List<MetricsReported> metrics() {
        return List.copyOf(metrics);
    }

    /** The last ledger of each writer, by its folder. */
    Map<Path, LedgerReported> ledgers() {
        return ledgers;
    }

    /** The folder in which the lines of each writer lie. */
    SortedMap<Path, Path> writers() {
        return writers;
    }

    List<SpanPlace> spans() {
        return spans;
    }

    long damagedLines() {
        return damagedLines;
    }

    /** A line that tells a span of no run. */
    record SpanPlace(Segment segment, long offset) {}

    /**
     * Reads what lies in a writer's folder. A part that cannot be read counts as one damaged line, and hides nothing
     * else.
     */
    void read(Path writer) {
        try {
            // Asked first: a run whose writer ends while its file is read still counts as running, and not as lost.
            boolean alive = WriterLock.isHeld(writer);
            writers.put(writer, writer);
            WriterLines all = new WriterLines(new Lines(writer, alive), kept::readAndKeep);
            all.read(writer, alive);
            all.warnOfUnreadable();
            damagedLines += all.damaged();
        } catch (IOException e) {
            damagedLines++;
        }
    }

    /** The lines of a folder. */
    private final class Lines implements WriterLines.Reader {
        private final Path folder;
        private final boolean alive;
        private final String holder;
        private RunPlaces.Source source; // of the lines that come next: several writers may have written there
        private @Nullable Segment segment;
        private IndexCache.@Nullable Reading index;
        private IndexBuilder building = new IndexBuilder(0);

        Lines(Path folder, boolean alive) {
            this.folder = folder;
            this.alive = alive;
            this.holder = WriterLock.holder(folder);
            this.source = source(folder);
        }

        private RunPlaces.Source source(Path writer) {
            return new RunPlaces.Source(folder, writer, alive && RunPlaces.Source.isHolder(holder, folder, writer));
        }

        @Override
        public IndexCache.Reading begin(Segment begun, boolean mayGrow) {
            IndexCache.Reading reading = cache.read(begun, mayGrow);
            SegmentIndex known = reading.known();
            segment = begun;
            index = reading;
            source = source(folder);
            ends.put(begun, known.end());
            building = new IndexBuilder(known.end());
            for (IndexChunk chunk : known.chunks()) {
                damagedLines += chunk.damagedLines();
                take(chunk);
            }
            return reading;
        }

        @Override
        public void line(Segment file, LineBlock.Line line) {
            if (building.isFullAt(line.offset())) {
                IndexChunk chunk = cut(0);
                Objects.requireNonNull(index).add(chunk);
                building = new IndexBuilder(line.offset());
            }
            IndexedLine indexed = read(file, line, building);
            if (indexed != null) {
                building.add(indexed, EventRowReader.read(line));
            }
        }

        @Override
        public boolean readsAll(String type) {
            return !READ_HEADS_OF.contains(type);
        }

        @Override
        public void finished(long end, long lines, long damaged, boolean whole) {
            ends.put(Objects.requireNonNull(segment), end);
            Objects.requireNonNull(index).finish(cut(damaged), end, lines, whole);
        }

        private IndexChunk cut(long damaged) {
            IndexChunk chunk = building.chunk(damaged, RunRowBuilder::row);
            take(chunk);
            return chunk;
        }

        private void take(IndexChunk chunk) {
            NavigableMap<Long, RunPlaces.Source> sources = new TreeMap<>(Map.of(0L, source));
            for (IndexedLine line : chunk.apart()) {
                if (line.fact() instanceof String name) {
                    source = source(folder.resolveSibling(name));
                    sources.put(line.offset(), source);
                    writers.put(source.writer(), folder);
                } else if (line.fact() instanceof MetricsReported reported) {
                    metrics.add(reported);
                } else if (line.fact() instanceof LedgerReported ledger) {
                    ledgers.put(source.writer(), ledger);
                } else if (line.type().equals(EventType.STANDALONE_SPAN_RECORDED.label())) {
                    spans.add(new SpanPlace(Objects.requireNonNull(segment), line.offset()));
                }
            }
            for (IndexChunk.Run run : chunk.runs()) {
                RunPlaces.Source of = sources.size() == 1
                        ? source
                        : sources.floorEntry(run.lines().get(0).offset()).getValue();
                RunPlaces place = new RunPlaces(of, Objects.requireNonNull(segment), run, null);
                runs.merge(run.id(), place, (before, last) -> last.after(before));
            }
        }
    }

    /** Reads what a summary needs of a line; null for lines of which it needs nothing. */
    private static @Nullable IndexedLine read(Segment segment, LineBlock.Line line, IndexBuilder index) {
        LineHead head = line.head();
        EventType type = EventType.of(head.type());
        if (head.type().equals(JournalHeader.TYPE)) {
            Fields header = line.read();
            checkVersion(segment, header);
            return header.has(JournalHeader.WRITER) ? apart(line, header.text(JournalHeader.WRITER)) : null;
        } else if (type == null || (type.isOfRun() && head.runId().isEmpty())) {
            return null;
        }
        if (!type.isOfRun()) {
            Event event = EventReader.readApart(type, line.read());
            return apart(line, event instanceof StandaloneSpanRecorded ? null : event);
        }
        RunInfo run = type == EventType.RUN_STARTED || !index.knows(head.runId()) ? EventReader.run(line.read()) : null;
        return new IndexedLine(
                line.number(),
                line.offset(),
                head.type(),
                head.runId(),
                head.seq(),
                head.nanos(),
                run == null ? null : withoutTexts(run),
                fact(type, line));
    }

    private static IndexedLine apart(LineBlock.Line line, @Nullable Object fact) {
        return new IndexedLine(line.number(), line.offset(), line.head().type(), "", 0, 0, null, fact);
    }

    private static @Nullable Object fact(EventType type, LineBlock.Line line) {
        return switch (type) {
            case RUN_ENDED ->
                withoutTexts((RunEnded) Objects.requireNonNull(new EventReader(IndexedLine.RUN).read(line.read())));
            case REWARD_GIVEN -> reward(line.read());
            default -> null;
        };
    }

    /** Second opinions are in no total. */
    private static @Nullable Object reward(Fields line) {
        boolean decides = line.has("solved");
        double value = line.has("value") ? line.decimal("value") : Double.NaN;
        if (line.has("source") && RewardVersion.isOpinion(line.text("source"), decides)) {
            return null;
        }
        return decides ? new IndexedLine.Decision(value, line.flag("solved")) : (Object) value;
    }

    /** Texts may be nearly all of a journal. */
    private static RunInfo withoutTexts(RunInfo run) {
        return RunInfoBuilder.builder(run)
                .task(Content.EMPTY)
                .expectedAnswer(null)
                .params(shortTexts(run.params()))
                .originalSpan(withoutTexts(run.originalSpan()))
                .build();
    }

    private static @Nullable OriginalSpan withoutTexts(@Nullable OriginalSpan span) {
        return span == null ? null : new OriginalSpan(span.spanId(), span.name(), shortTexts(span.resource()));
    }

    private static Map<String, Object> shortTexts(Map<String, Object> params) {
        Map<String, Object> kept = new LinkedHashMap<>();
        params.forEach((name, value) -> {
            if (value instanceof String text && text.length() <= SHORT) {
                kept.put(name, text);
            }
        });
        return kept;
    }

    private static RunEnded withoutTexts(RunEnded end) {
        return RunEndedBuilder.builder(end)
                .finalAnswer(null)
                .metrics(Map.of())
                .error(null)
                .build();
    }

    public static void checkVersion(Segment segment, Fields header) {
        long version = header.number("version");
        if (version > JournalHeader.VERSION) {
            throw new JournalException(segment + " was written by a newer version: its schema is " + version
                    + ", and this version reads up to " + JournalHeader.VERSION);
        }
    }
}
