package dev.rlm.journal;

import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.LedgerReported.SinkLedger;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * State of a writer of a journal.
 *
 * @param folder that it would have alone; not there where it wrote into that of another
 * @param ledger the last that it wrote: at its close, or where it was killed, at the last flush before; {@code null} where it wrote none
 */
public record WriterStatus(
        Path folder, State state, @Nullable LedgerReported ledger) {
    /** Stage of a writer's life. */
    public enum State {
        /** It lives and may write more. */
        LIVE,
        /** It has ended well. */
        CLOSED,
        /** It was killed, and its runs have not been given their ends. */
        KILLED,
        /** It was killed, and a recovery has given its runs their ends. */
        RECOVERED
    }

    /** The status of a writer whose lines lie in that folder. */
    static WriterStatus of(Path writer, Path folder, @Nullable LedgerReported ledger) {
        try {
            String holder = WriterLock.holder(folder);
            boolean holds = writer.equals(holder.isEmpty() ? folder : folder.resolveSibling(holder));
            return new WriterStatus(writer, holds ? state(folder) : State.CLOSED, ledger);
        } catch (IOException e) {
            throw JournalException.unreadable(folder, e);
        }
    }

    private static State state(Path folder) throws IOException {
        if (WriterLock.isHeld(folder)) {
            return State.LIVE;
        } else if (RecoveryNotes.read(folder).areEndsWritten()) {
            return State.RECOVERED;
        }
        return WriterLock.exists(folder) ? State.KILLED : State.CLOSED;
    }

    /**
     * Returns the ledger's account of the sink that keeps the journal: of {@value JournalFolder#SINK}, or of the only sink there is;
     * {@code null} where the ledger does not tell which one that is.
     */
    public @Nullable SinkLedger account() {
        if (ledger == null) {
            return null;
        }
        SinkLedger named = ledger.sinks().get(JournalFolder.SINK);
        return named == null && ledger.sinks().size() == 1
                ? ledger.sinks().values().iterator().next()
                : named;
    }
}
