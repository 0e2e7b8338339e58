package dev.rlm.sinks.jsonl;

import dev.rlm.journal.format.segment.LineBuffer;
import dev.rlm.journal.format.segment.TamperedException;
import dev.rlm.sinks.Sink.Acknowledged;
import java.io.IOException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings events to the disk in groups, and counts those delivered and lost. A group that fails is written again in
 * another segment at once; if that fails too it is kept and tried again less and less often, and given up when it
 * becomes too much.
 */
final class GroupCommit {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.jsonl");
    private static final int WRITE_AT = 1 << 20;
    private static final int SYNC_AT = 7 << 20; // below what the buffer of lines keeps
    private static final int MAX_UNACKNOWLEDGED = 16 << 20;

    private final JournalWriter writer;
    private final Fsync fsync;
    private final LongSupplier nanoTime;
    private final LineBuffer pending = new LineBuffer(); // not known to be safe yet, and kept until they are
    private int events; // that many lines
    private final ExponentialBackoff backoff = new ExponentialBackoff();
    private final Map<DiskFault, Long> lost = new EnumMap<>(DiskFault.class);
    private final Set<DiskFault> said = EnumSet.of(DiskFault.FOLDER_GONE); // which is said whenever it comes
    private final DiskHealth health;
    private @Nullable IOException unreported;
    private long delivered;
    private volatile Acknowledged acknowledged = new Acknowledged(0, Map.of());

    GroupCommit(JournalWriter writer, JournalSettings settings, DiskHealth health) {
        this.writer = writer;
        this.fsync = settings.fsync();
        this.nanoTime = settings.nanoTime();
        this.health = health;
    }

    /** Returns the buffer to append an event's line to; call {@link #added} when the line is whole. */
    LineBuffer lines() {
        return pending;
    }

    /** Takes note of a line. Writes where many wait, and syncs where more do; gives them up where they become too many to keep. */
    void added() {
        events++;
        boolean many = pending.size() >= SYNC_AT;
        if (!many && pending.size() - writer.written() < WRITE_AT) {
            return;
        }
        try {
            commit(many && fsync != Fsync.NEVER, false);
        } catch (IOException e) {
            unreported = e;
        }
        if (pending.size() >= MAX_UNACKNOWLEDGED) {
            giveUp(health.fault());
        }
    }

    /** Throws what failed while lines were added, once: for the log. */
    void report() throws IOException {
        IOException e = unreported;
        unreported = null;
        if (e != null) {
            throw e;
        }
    }

    /** Returns how many events were delivered and dropped so far. May be called on any thread. */
    Acknowledged acknowledged() {
        return acknowledged;
    }

    boolean isEmpty() {
        return events == 0;
    }

    /** Returns the number of events that were given up. */
    long lost() {
        return lost.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * Writes what is pending.
     *
     * @param sync whether it is to be synced too, and so acknowledged
     * @param now whether to do so also where the last attempt failed a moment ago
     * @throws IOException if that fails: the events are kept
     */
    void commit(boolean sync, boolean now) throws IOException {
        if (isEmpty() || (!now && health.isFailing() && backoff.isWaiting(nanoTime.getAsLong()))) {
            return;
        }
        boolean interrupted = Thread.interrupted(); // would close the files
        health.begin();
        try {
            attempt(sync);
        } finally {
            health.end();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void attempt(boolean sync) throws IOException {
        boolean mayMoveOn = writer.isOpen();
        try {
            bring(sync);
        } catch (IOException e) {
            failed(e);
            if (!mayMoveOn) {
                throw e;
            }
            again(sync);
            if (said.add(DiskFault.of(e))) {
                LOG.warn(
                        "{}: {}; nothing is lost by that: it was written again elsewhere",
                        writer.folder(),
                        e.toString());
            }
        }
    }

    private void again(boolean sync) throws IOException {
        Thread.interrupted(); // perhaps the reason
        try {
            bring(sync);
        } catch (IOException e) {
            failed(e);
            throw e;
        }
    }

    private void failed(IOException e) {
        writer.abandon();
        backoff.failed(nanoTime.getAsLong());
        health.failed(e);
        LOG.debug("{} failed", writer.folder(), e);
        if (e instanceof TamperedException) {
            LOG.warn("{}; what is recorded from now on goes into a new file", e.getMessage());
        }
    }

    private void bring(boolean sync) throws IOException {
        write();
        if (sync || fsync == Fsync.NEVER) {
            writer.commit(sync);
            acknowledge();
            if (health.isFailing()) { // only now: a disk that takes writes may refuse every sync
                backoff.succeeded();
                health.succeeded();
            }
        }
    }

    private void write() throws IOException {
        @Nullable LineTooLargeException tooLarge;
        do {
            tooLarge = null;
            try {
                writer.write(pending);
            } catch (LineTooLargeException e) {
                tooLarge = e;
                pending.remove(e.from(), e.to());
                events--;
                lose(DiskFault.FILE_TOO_LARGE, 1);
                health.failed(e);
            }
        } while (tooLarge != null);
    }

    private void acknowledge() {
        delivered += events;
        clear();
        publish();
    }

    /** Gives up what is pending. */
    void giveUp(DiskFault fault) {
        if (!isEmpty()) {
            writer.giveUp(); // half a line may be at its end
            lose(fault, events);
            clear();
        }
    }

    private void clear() {
        pending.clear();
        events = 0;
    }

    private void lose(DiskFault fault, long events) {
        lost.merge(fault, events, Long::sum);
        publish();
    }

    private void publish() {
        Map<String, Long> dropped = new TreeMap<>();
        lost.forEach((fault, count) -> dropped.put(fault.label(), count));
        acknowledged = new Acknowledged(delivered, dropped);
    }
}
