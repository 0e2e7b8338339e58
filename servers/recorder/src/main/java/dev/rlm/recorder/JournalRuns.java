package dev.rlm.recorder;

import dev.rlm.cli.RecordPlaces;
import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RunEvent;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs that the journal has and this process does not know, or not any more: those of other processes too. Safe for use by several threads. */
final class JournalRuns {
    /** Those where no sink keeps a journal. */
    static final JournalRuns NONE = new JournalRuns(null, IndexCache.NONE);

    private final @Nullable Path folder;
    private final IndexCache cache;
    private @Nullable Set<String> earlier; // guarded by this, as is the next
    private @Nullable Journal journal; // as it was when a run was last missing in it

    private JournalRuns(@Nullable Path folder, IndexCache cache) {
        this.folder = folder;
        this.cache = cache;
    }

    /** Returns those of the journal that the sinks write to. */
    static JournalRuns of(Sinks sinks, SinkConfig config) {
        Path folder = Journal.configured(config).toAbsolutePath().normalize();
        return RecordPlaces.areIn(folder, sinks) ? new JournalRuns(folder, IndexCache.configured(config)) : NONE;
    }

    /** Returns whether a run of that id had ended before this was first asked: to readers of the journal, two would be one. */
    synchronized boolean hadEnded(String runId) {
        if (earlier == null) {
            earlier = folder == null ? Set.of() : Journal.endedRuns(folder);
        }
        return earlier.contains(runId);
    }

    /**
     * Returns the events of a run that has ended, by number; none of an unknown run.
     *
     * @throws LineRefusedException if the run has not ended, or the journal cannot be read
     */
    synchronized List<RunEvent> ended(String runId) {
        try {
            Journal known = journal;
            RunSummary run = known == null ? null : known.find(runId);
            if (folder != null
                    && Journal.isAt(folder)
                    && (run == null || run.row().end() == null)) {
                known = Journal.open(folder, cache);
                journal = known;
                run = known.find(runId);
            }
            if (known == null || run == null) {
                return List.of();
            } else if (run.row().end() == null) {
                throw new LineRefusedException(
                        "the run has not ended: until then its rewards are for the process that records it",
                        LineRefusedException.Reason.LATER);
            }
            return known.events(runId);
        } catch (JournalException e) {
            throw new LineRefusedException(
                    "the journal cannot be read: " + e.getMessage(), LineRefusedException.Reason.LATER);
        }
    }
}
