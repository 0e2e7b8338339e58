package dev.rlm.sinks.jsonl.index;

import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Index of some lines of a segment, one behind the other: a row a run that is among them, rows of its calls and rewards, the places of
 * its lines, and what belongs to no run. All but the last is unpacked when it is asked for. Safe for use by several threads.
 */
public final class IndexChunk {
    /** Stands in events of lines for the run that they are of. */
    public static final RunInfo RUN = RunInfoBuilder.builder()
            .runId("-")
            .startedAt(Instant.EPOCH)
            .environment("-")
            .build();

    private static final int PART = 1 << 16; // bytes, about
    private static final IndexedLine START = new IndexedLine(0, 0, "", "", 0, 0, null, null);
    private static final int NONE = 0;
    private static final int RUN_ENDED = 1;
    private static final int REWARD = 2;
    private static final int METRICS = 3;
    private static final int LEDGER = 4;
    private static final int WITH_RUN = 8;

    private final List<Run> runs = new ArrayList<>();
    private final List<IndexedLine> apart;
    private final long damagedLines;
    private final List<Packed> parts; // heads, rows, and others

    private IndexChunk(List<Packed> parts) {
        this.parts = parts;
        PackedRecords heads = parts.get(0).get();
        damagedLines = heads.nextNumber();
        apart = lines("", heads);
        while (heads.hasNext()) {
            String id = heads.nextText();
            Instant startedAt = heads.nextTime();
            runs.add(new Run(id, startedAt, (int) heads.nextNumber(), placeIn(heads), placeIn(heads)));
        }
    }

    /**
     * Makes one.
     *
     * @param runs what was gathered of each, in the order of their first lines
     * @param apart what belongs to no run
     * @param row makes a row of a run's lines
     */
    static IndexChunk of(
            Map<String, IndexBuilder.Gathered> runs,
            List<IndexedLine> apart,
            long damagedLines,
            Function<List<IndexedLine>, RunRow> row) {
        PackedRecords heads = new PackedRecords();
        PackedRecords rows = new PackedRecords();
        List<PackedRecords> others = new ArrayList<>();
        Parts lines = new Parts(others);
        Parts events = new Parts(others);
        heads.number(damagedLines);
        write(apart, heads);
        runs.forEach((id, its) -> {
            RunRow told = row.apply(its.lines());
            heads.text(id);
            heads.time(told.run().startedAt());
            heads.number(rows.size());
            rows.record(told);
            write(its.lines(), lines.next(heads));
            if (its.events().isEmpty()) {
                heads.number(0);
            } else {
                EventRows.write(EventRows.bySeq(its.events()), events.next(heads));
            }
        });
        return new IndexChunk(Stream.concat(
                        Stream.of(Packed.plain(heads)),
                        Stream.concat(Stream.of(rows), others.stream()).map(Packed::of))
                .toList());
    }

    /**
     * Reads the next one of a file.
     *
     * @throws RuntimeException if it is damaged
     */
    static IndexChunk next(ByteBuffer file) {
        int count = file.getInt();
        List<Packed> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(Packed.next(file));
        }
        return new IndexChunk(parts);
    }

    /** Returns it as it stands in a file. */
    ByteBuffer bytes() {
        ByteBuffer bytes = ByteBuffer.allocate(
                Integer.BYTES + parts.stream().mapToInt(Packed::size).sum());
        bytes.putInt(parts.size());
        parts.forEach(part -> part.putTo(bytes));
        return bytes.flip();
    }

    boolean isTooLarge() {
        return parts.stream().anyMatch(Packed::isTooLarge);
    }

    /** Numbers are kept as differences to those of the line before. */
    private static void write(List<IndexedLine> lines, PackedRecords to) {
        to.number(lines.size());
        IndexedLine last = START;
        for (IndexedLine line : lines) {
            to.number(line.number() - last.number());
            to.number(line.offset() - last.offset());
            to.text(line.type());
            to.number(line.seq() - last.seq());
            to.number(line.nanos() - last.nanos());
            writeFacts(line, to);
            last = line;
        }
    }

    private static void writeFacts(IndexedLine line, PackedRecords to) {
        Object fact = line.fact();
        int kind = fact instanceof RunEnded
                ? RUN_ENDED
                : fact instanceof Double
                        ? REWARD
                        : fact instanceof MetricsReported ? METRICS : fact instanceof LedgerReported ? LEDGER : NONE;
        to.number(line.run() == null ? kind : kind | WITH_RUN);
        if (line.run() != null) {
            to.record(line.run());
        }
        if (fact instanceof Double reward) {
            to.decimal(reward);
        } else if (fact instanceof Record record) {
            to.record(record);
        }
    }

    private static List<IndexedLine> lines(String runId, PackedRecords from) {
        long count = from.nextNumber();
        List<IndexedLine> lines = new ArrayList<>();
        IndexedLine last = START;
        for (long i = 0; i < count; i++) {
            last = new IndexedLine(
                    last.number() + from.nextNumber(),
                    last.offset() + from.nextNumber(),
                    from.nextText(),
                    runId,
                    last.seq() + from.nextNumber(),
                    last.nanos() + from.nextNumber(),
                    null,
                    null);
            lines.add(withFacts(last, (int) from.nextNumber(), from));
        }
        return lines;
    }

    private static IndexedLine withFacts(IndexedLine line, int told, PackedRecords from) {
        if (told == NONE) {
            return line;
        }
        RunInfo run = (told & WITH_RUN) == 0 ? null : from.nextRecord(RunInfo.class);
        Object fact = fact(told & ~WITH_RUN, from);
        return new IndexedLine(
                line.number(), line.offset(), line.type(), line.runId(), line.seq(), line.nanos(), run, fact);
    }

    private static @Nullable Object fact(int kind, PackedRecords from) {
        return switch (kind) {
            case NONE -> null;
            case RUN_ENDED -> from.nextRecord(RunEnded.class);
            case REWARD -> from.nextDecimal();
            case METRICS -> from.nextRecord(MetricsReported.class);
            case LEDGER -> from.nextRecord(LedgerReported.class);
            default -> throw new IllegalArgumentException("no such fact: " + kind);
        };
    }

    /** Returns the runs in the order of their first lines. */
    public List<Run> runs() {
        return runs;
    }

    /** Returns the lines that belong to no run. */
    public List<IndexedLine> apart() {
        return apart;
    }

    /** Returns how many lines could not be read. */
    public long damagedLines() {
        return damagedLines;
    }

    /** A run among the lines. */
    public final class Run {
        private final String id;
        private final Instant startedAt;
        private final int row;
        private final long lines;
        private final long events;

        private Run(String id, Instant startedAt, int row, long lines, long events) {
            this.id = id;
            this.startedAt = startedAt;
            this.row = row;
            this.lines = lines;
            this.events = events;
        }

        public String id() {
            return id;
        }

        public Instant startedAt() {
            return startedAt;
        }

        /** Returns what the lines tell of it. */
        public RunRow row() {
            return parts.get(1).get().from(row).nextRecord(RunRow.class);
        }

        /** Returns its lines in their order. */
        public List<IndexedLine> lines() {
            return IndexChunk.lines(id, from(lines));
        }

        /** Returns the rows of its events by their numbers, each once. */
        public List<EventRow> events() {
            return events == 0 ? List.of() : EventRows.read(from(events));
        }
    }

    private PackedRecords from(long place) {
        return parts.get(1 + (int) (place >> Integer.SIZE)).get().from((int) place);
    }

    /** Reads the place of something in the other parts: the part's number, from 1, above the place in it; 0 for nothing. */
    private static long placeIn(PackedRecords heads) {
        long part = heads.nextNumber();
        return part == 0 ? 0 : part << Integer.SIZE | heads.nextNumber();
    }

    /** Writes into parts that are unpacked in little time; others do so into parts between them. */
    private static final class Parts {
        private final List<PackedRecords> all;
        private int last; // its number

        Parts(List<PackedRecords> all) {
            this.all = all;
        }

        /** Returns where to write, and tells the heads. */
        PackedRecords next(PackedRecords heads) {
            if (last == 0 || all.get(last - 1).size() > PART) {
                all.add(new PackedRecords());
                last = all.size();
            }
            PackedRecords part = all.get(last - 1);
            heads.number(last);
            heads.number(part.size());
            return part;
        }
    }
}
