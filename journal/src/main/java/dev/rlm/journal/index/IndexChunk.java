package dev.rlm.journal.index;

import dev.rlm.sinks.schema.GatewayRuns;
import dev.rlm.sinks.schema.RolloutKey;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Index of some lines of a segment, one behind the other: a row a run that is among them, rows of its calls and rewards, the places of
 * its lines, and what belongs to no run. All but the last is unpacked when it is asked for. Safe for use by several threads.
 */
public final class IndexChunk {
    private static final int PART = 1 << 16; // bytes, about

    private final List<Run> runs = new ArrayList<>();
    private final List<IndexedLine> apart;
    private final long damagedLines;
    private Packed heads;
    private final List<Packed> parts; // rows, and others

    private IndexChunk(Packed packedHeads, List<Packed> parts) {
        this.heads = packedHeads;
        this.parts = parts;
        PackedRecords heads = packedHeads.unpacked();
        damagedLines = heads.nextNumber();
        apart = IndexedLines.read("", heads);
        while (heads.hasNext()) {
            String id = heads.nextText();
            Instant startedAt = heads.nextTime();
            int attempt = (int) heads.nextNumber();
            String caller = heads.nextText();
            boolean onlyScored = heads.nextNumber() == 1;
            int row = (int) heads.nextNumber();
            runs.add(new Run(id, startedAt, attempt, caller, onlyScored, row, placeIn(heads), placeIn(heads)));
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
        IndexedLines.write(apart, heads);
        runs.forEach((id, its) -> {
            Collection<EventRow> ofEvents = EventRows.bySeq(its.events());
            RunRow told = row.apply(its.lines()).withModelOf(ofEvents);
            heads.text(id);
            heads.time(told.run().startedAt());
            heads.number(RolloutKey.attempt(told.run()));
            heads.text(Objects.requireNonNullElse(GatewayRuns.caller(told.run()), ""));
            heads.number(its.lines().stream().allMatch(IndexedLine::isAdded) ? 1 : 0);
            heads.number(rows.size());
            rows.record(told);
            IndexedLines.write(its.lines(), lines.next(heads));
            if (its.events().isEmpty()) {
                heads.number(0);
            } else {
                EventRows.write(ofEvents, events.next(heads));
            }
        });
        return new IndexChunk(
                Packed.plain(heads),
                Stream.concat(Stream.of(rows), others.stream()).map(Packed::of).toList());
    }

    /**
     * Reads the next one of a file.
     *
     * @throws RuntimeException if it is damaged
     */
    static IndexChunk next(ByteBuffer file) {
        int count = file.getInt();
        Packed heads = Packed.next(file);
        List<Packed> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(Packed.next(file));
        }
        return new IndexChunk(heads, parts);
    }

    /** Returns it as it stands in a file; not to be asked for once it {@linkplain #forgetHeads has forgotten}. */
    ByteBuffer bytes() {
        int size = parts.stream().mapToInt(Packed::size).sum();
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + heads.size() + size);
        bytes.putInt(parts.size());
        heads.putTo(bytes);
        parts.forEach(part -> part.putTo(bytes));
        return bytes.flip();
    }

    /** Lets go what is only needed for a file: there may be very many runs. */
    void forgetHeads() {
        heads = Packed.GONE;
    }

    boolean isTooLarge() {
        return parts.stream().anyMatch(Packed::isTooLarge);
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
        private final long startSecond;
        private final int startNano;
        private final int attempt;
        private final @Nullable String caller;
        private final boolean onlyScored;
        private final int row;
        private final long lines;
        private final long events;

        private Run(
                String id,
                Instant startedAt,
                int attempt,
                String caller,
                boolean onlyScored,
                int row,
                long lines,
                long events) {
            this.id = id;
            this.startSecond = startedAt.getEpochSecond();
            this.startNano = startedAt.getNano();
            this.attempt = attempt;
            this.caller = caller.isEmpty() ? null : caller;
            this.onlyScored = onlyScored;
            this.row = row;
            this.lines = lines;
            this.events = events;
        }

        public String id() {
            return id;
        }

        public Instant startedAt() {
            return Instant.ofEpochSecond(startSecond, startNano);
        }

        /** Returns the number of its attempt at its rollout; 1 where it does not tell. */
        public int attempt() {
            return attempt;
        }

        /** Returns the run whose calls a gateway recorded in it; {@code null} if that is not told, as of nearly all runs. */
        public @Nullable String caller() {
            return caller;
        }

        /** Returns whether all of its lines were added after its end, by others. */
        public boolean isOnlyScored() {
            return onlyScored;
        }

        /** Returns what the lines tell of it. */
        public RunRow row() {
            return parts.get(0).get().from(row).nextRecord(RunRow.class);
        }

        /** Returns its lines in their order. */
        public List<IndexedLine> lines() {
            return IndexedLines.read(id, from(lines));
        }

        /** Returns the rows of its events by their numbers, each once. */
        public List<EventRow> events() {
            return events == 0 ? List.of() : EventRows.read(from(events));
        }
    }

    private PackedRecords from(long place) {
        return parts.get((int) (place >> Integer.SIZE)).get().from((int) place);
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
