package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.jsonl.segment.Disk;
import dev.rlm.sinks.jsonl.segment.LineBuffer;
import dev.rlm.sinks.jsonl.segment.OpenSegment;
import dev.rlm.sinks.jsonl.segment.Segment;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A writer's folder: its lock and its files. Nothing is made before something is written. A lock that is left there by
 * nobody tells that its writer died, or that it knows of something that is missing; one that ends well takes it away.
 *
 * <p>After a failure to write or to sync a segment nothing is known of it, so that writing goes on in the next one, from
 * the first line on that is not acknowledged.
 */
final class JournalWriter {
    static final String SCHEMA = "rlm.journal";
    static final int SCHEMA_VERSION = 1;
    static final String JOURNAL = "journal";

    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.jsonl");

    private final JournalSettings settings;
    private final Path folder;
    private final Housekeeping housekeeping;
    private final RunsFile runs;
    private final ClosedSegments closed = new ClosedSegments();
    private Disk.@Nullable Lock lock;
    private volatile @Nullable OpenSegment segment;
    private @Nullable OpenSegment superseded; // given up, and all its lines are to be written again
    private int number;
    private long limit; // of a segment's size
    private boolean limitMet; // it is not only wished for
    private final AtomicLong bytesWritten = new AtomicLong();

    JournalWriter(JournalSettings settings, Path folder, Housekeeping housekeeping) {
        this.settings = settings;
        this.folder = folder;
        this.housekeeping = housekeeping;
        this.runs = new RunsFile(settings.disk(), folder, settings.nanoTime());
        this.limit = settings.rotateSize() == 0 ? Long.MAX_VALUE : settings.rotateSize();
    }

    /** The first line of each file of events. */
    static void header(LineBuffer lines) {
        JsonLine.append(
                lines, line -> line.put("type", JOURNAL).put("schema", SCHEMA).put("version", SCHEMA_VERSION));
    }

    Path folder() {
        return folder;
    }

    /** The file of ended runs. */
    RunsFile runs() {
        return runs;
    }

    /** How many bytes of lines went into segments. Read on any thread. */
    long bytesWritten() {
        return bytesWritten.get();
    }

    /** The name of the segment that is written; empty where there is none. Read on any thread. */
    String segment() {
        OpenSegment open = segment;
        return open == null ? "" : open.segment().plain().getFileName().toString();
    }

    /** Whether a segment is open, and not only to be made. */
    boolean isOpen() {
        return segment != null;
    }

    /** Moves the lines that are not in a file yet into segments, as many as it takes. */
    void write(Unacknowledged pending) throws IOException {
        begin();
        OpenSegment old = segment;
        if (old != null && !old.isFresh() && settings.isTooOld(old.age(now()))) {
            rotate(old, pending);
        }
        while (!pending.isWritten()) {
            writeSome(open(), pending);
        }
        forgetSuperseded(true);
    }

    /** Takes the folder's lock, which comes before all that lies there. */
    void begin() throws IOException {
        if (lock == null) {
            lock = open(settings.disk());
        }
    }

    /** The number of the last segment that was made. */
    int number() {
        return number;
    }

    /** What has failed is not to fill the disk with copies of itself. */
    private void forgetSuperseded(boolean delete) {
        OpenSegment old = superseded;
        superseded = null;
        if (old != null && delete) {
            old.delete();
        }
    }

    /** The lock survives a loss of power before there is anything that a recovery would have to look for. */
    private Disk.Lock open(Disk disk) throws IOException {
        disk.createFolder(folder);
        Disk.Lock taken = disk.lock(folder);
        try {
            disk.syncNames(folder);
            return taken;
        } catch (IOException e) {
            release(taken);
            throw e;
        }
    }

    private long now() {
        return settings.nanoTime().getAsLong();
    }

    private OpenSegment open() throws IOException {
        OpenSegment open = segment;
        if (open == null) {
            open = create();
            segment = open;
        }
        return open;
    }

    /** Makes the next segment. A name that something else has taken is passed over. */
    private OpenSegment create() throws IOException {
        LineBuffer header = new LineBuffer();
        header(header);
        while (true) {
            try {
                return OpenSegment.create(settings.disk(), new Segment(folder, ++number), header, now());
            } catch (FileAlreadyExistsException e) {
                LOG.warn("{} is there and is not this writer's; it is passed over", e.getMessage());
            }
        }
    }

    private void writeSome(OpenSegment open, Unacknowledged pending) throws IOException {
        int from = pending.written();
        long room = Math.max(0, limit - open.size());
        int end = pending.lines().lastLineEnd(from, (int) Math.min(pending.size(), from + room));
        if (end > from) {
            append(open, pending, end);
        } else if (!open.isFresh()) {
            rotate(open, pending);
        } else if (limitMet) {
            throw new LineTooLargeException(from, pending.lines().lineEnd(from));
        } else {
            append(open, pending, pending.lines().lineEnd(from)); // longer than is wished for, and so alone
        }
    }

    private void append(OpenSegment open, Unacknowledged pending, int end) throws IOException {
        try {
            open.append(pending.lines().bytes(pending.written(), end));
            bytesWritten.addAndGet(end - pending.written());
            pending.writtenTo(end);
        } catch (IOException e) {
            if (Fault.of(e) == Fault.FILE_TOO_LARGE) {
                limit = open.size();
                limitMet = true;
            }
            throw e;
        }
    }

    /** Closes a segment that is long or old enough. */
    private void rotate(OpenSegment open, Unacknowledged pending) throws IOException {
        if (settings.fsync() != Fsync.NEVER) {
            open.sync();
        }
        open.check();
        open.close();
        segment = null;
        pending.keepWritten();
        closed.add(open.segment().number(), runs.size());
        housekeeping.closed(open.segment());
    }

    /**
     * Makes sure of what was written, and then of the lines of ended runs: these never tell of what is not there.
     *
     * @param sync whether it is to survive a loss of power
     */
    void commit(boolean sync) throws IOException {
        OpenSegment open = segment;
        if (open != null) {
            if (sync) {
                open.sync();
            }
            open.check();
        }
        if (lock != null) {
            lock.check();
        }
        if (open != null) {
            open.keep();
        }
        runs.forget(closed.forgottenRuns(housekeeping.deletedUpTo()));
        runs.commit(sync);
    }

    /**
     * Gives the segment up after a failure; the lock only where nobody sees it any more. Of the segments whose lines are all
     * to be written again the fullest stays until that is done: should the process be killed, they are in it.
     */
    void abandon() {
        OpenSegment open = segment;
        segment = null;
        if (open != null) {
            open.abandon();
        }
        Disk.Lock held = lock;
        if (held != null) {
            try {
                held.check();
                supersede(open);
            } catch (IOException e) {
                lock = null;
                release(held);
                forgetSuperseded(false); // what lies there now is not ours to delete
            }
        }
    }

    private void supersede(@Nullable OpenSegment open) {
        OpenSegment other = superseded;
        if (open == null || open.isFresh() || !open.isSuperfluous()) {
            return;
        } else if (other == null) {
            superseded = open;
        } else if (open.size() < other.size()) {
            open.delete();
        } else {
            other.delete();
            superseded = open;
        }
    }

    /** Gives the segment up with all that was to be written again: what of it lies on the disk stays there. */
    void giveUp() {
        abandon();
        forgetSuperseded(false);
        runs.giveUp(); // they must not tell of what is not there
    }

    private static void release(Disk.Lock held) {
        try {
            held.close();
        } catch (IOException e) {
            // of a file that is gone
        }
    }

    /**
     * Ends it; a second time does nothing.
     *
     * @param complete whether nothing is missing: no run's end, and no event
     */
    void close(boolean complete) throws IOException {
        OpenSegment open = segment;
        try (Disk.Lock held = lock;
                RunsFile closing = runs) {
            lock = null;
            segment = null;
            if (open != null) {
                open.close();
                housekeeping.closedLast(open.segment(), open.size());
            }
            if (held != null) {
                closing.finish(settings.fsync() != Fsync.NEVER);
                if (complete && !closing.isIncomplete()) {
                    held.remove();
                }
            }
        }
    }

    /** When it is now, in the words of the journal. */
    Instant time() {
        return settings.clock().instant();
    }
}
