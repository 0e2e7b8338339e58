package dev.rlm.console;

import dev.rlm.cli.Journals;
import dev.rlm.journal.Journal;
import dev.rlm.journal.index.IndexCache;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Journals that stay open until they change: to open one takes longer than most questions about it. */
final class KeptJournals implements Journals {
    private final LongSupplier cursor;
    private final Map<Path, Kept> kept = new ConcurrentHashMap<>();

    /**
     * None yet.
     *
     * @param cursor is another whenever a journal has changed
     */
    KeptJournals(LongSupplier cursor) {
        this.cursor = cursor;
    }

    @Override
    public Journal open(Path directory, IndexCache cache) {
        long now = cursor.getAsLong(); // asked for first: what comes while the journal is read may be in it or not
        return kept.compute(
                        directory,
                        (folder, before) -> before != null && before.cursor == now
                                ? before
                                : new Kept(now, Journal.open(folder, cache)))
                .journal;
    }

    @Override
    public Journal openToRead(Path directory, IndexCache cache) {
        return open(directory, cache); // text that is kept for one reader is of no use to several
    }

    private record Kept(long cursor, Journal journal) {}
}
