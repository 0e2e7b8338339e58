package dev.rlm.journal.index;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Gathers lines of a segment for their index. For one thread. */
public final class IndexBuilder {
    private static final long CHUNK = 32 << 20; // bytes of text

    private final long from;
    private final Map<String, Gathered> runs = new LinkedHashMap<>();
    private final List<IndexedLine> apart = new ArrayList<>();

    /**
     * Begins to.
     *
     * @param from the first line's place in the text
     */
    public IndexBuilder(long from) {
        this.from = from;
    }

    /** Returns whether lines from there on are to be another chunk's: what is gathered takes memory. */
    public boolean isFullAt(long offset) {
        return offset - from >= CHUNK;
    }

    /** Returns whether lines of that run are here. */
    public boolean knows(String runId) {
        return runs.containsKey(runId);
    }

    /**
     * Adds a line; they come in the order of the file. The first one of each run tells of it.
     *
     * @param row of its event, where there is one
     */
    public void add(IndexedLine line, @Nullable EventRow row) {
        if (line.runId().isEmpty()) {
            apart.add(line);
            return;
        }
        Gathered run = runs.computeIfAbsent(line.runId(), id -> first(line));
        run.lines().add(line);
        if (row != null) {
            run.events().add(row);
        }
    }

    private static Gathered first(IndexedLine line) {
        Objects.requireNonNull(line.run());
        return new Gathered(new ArrayList<>(), new ArrayList<>(0));
    }

    /**
     * Returns the index of what was gathered.
     *
     * @param damagedLines number of lines between that could not be read
     * @param row makes a row of a run's lines
     */
    public IndexChunk chunk(long damagedLines, Function<List<IndexedLine>, RunRow> row) {
        return IndexChunk.of(runs, apart, damagedLines, row);
    }

    /** A run's lines, and the rows of its events. */
    record Gathered(List<IndexedLine> lines, List<EventRow> events) {}
}
