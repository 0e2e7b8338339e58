package dev.rlm.sinks.jsonl;

import dev.rlm.journal.format.JsonLine;
import dev.rlm.journal.format.segment.Disk;
import dev.rlm.journal.format.segment.LineBuffer;
import dev.rlm.journal.format.segment.OpenSegment;
import dev.rlm.journal.format.segment.Segment;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A writer's folder: its lock and its files. Nothing is made before something is written. A lock file that no process
 * holds tells that its writer died, or ended knowing that something is missing; a writer that ends well deletes it.
 *
 * <p>After a failure to write or to sync a segment nothing is known of it, so that writing goes on in the next one, from
 * the first line on that is not acknowledged.
 */
final class JournalWriter {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.jsonl");

    private final JournalSettings settings;
    private final OwnFolder own;
    private final Housekeeping housekeeping;
    private final RunsFile runs;
    private final LongSupplier nanoTime;
    private final Duration maxAge; // of a segment; zero for any
    private boolean runsDue = true; // the file of ended runs has lines to write, or is to be made
    private Disk.@Nullable Lock lock;
    private volatile @Nullable OpenSegment segment;
    private @Nullable OpenSegment superseded; // given up, and all its lines are to be written again
    private int written; // of the lines that are to be safe, up to where they lie in files
    private int safe; // up to where in files that are closed and need no second thought
    private int number;
    private boolean toGoOn; // with the file that another has left
    private boolean ended;
    private long limit; // of a segment's size
    private boolean limitMet; // it is not only wished for
    private final AtomicLong bytesWritten = new AtomicLong();

    JournalWriter(JournalSettings settings, OwnFolder own, Housekeeping housekeeping) {
        this.settings = settings;
        this.own = own;
        this.lock = own.lock();
        this.number = own.isTakenOver() ? 1 : 0;
        this.toGoOn = own.isTakenOver();
        this.housekeeping = housekeeping;
        this.runs = new RunsFile(settings.disk(), own, settings.nanoTime());
        this.nanoTime = settings.nanoTime();
        this.maxAge = settings.rotateAge();
        this.limit = settings.rotateSize() == 0 ? Long.MAX_VALUE : settings.rotateSize();
    }

    Path folder() {
        return own.path();
    }

    /** Adds a line to the file of ended runs. */
    void runEnded(Consumer<JsonLine> line) {
        JsonLine.append(runs.lines(), line);
        runsDue = true;
    }

    /** Returns the number of bytes of lines that went into segments. May be called on any thread. */
    long bytesWritten() {
        return bytesWritten.get();
    }

    /** Returns how many bytes lie in files of the lines that are not known to be safe yet. */
    int written() {
        return written;
    }

    /** Returns the file name of the open segment; empty if there is none. May be called on any thread. */
    String segment() {
        OpenSegment open = segment;
        return open == null ? "" : open.segment().plain().getFileName().toString();
    }

    /** Returns whether a segment is open. */
    boolean isOpen() {
        return segment != null;
    }

    /** Moves the lines that are not in a file yet into segments, as many as it takes. They stay there until a commit. */
    void write(LineBuffer pending) throws IOException {
        begin();
        OpenSegment old = segment;
        if (old != null && !old.isFresh() && isTooOld(old)) {
            rotate(old);
        }
        while (written < pending.size()) {
            writeSome(open(), pending);
        }
        forgetSuperseded(true);
    }

    private boolean isTooOld(OpenSegment open) {
        return !maxAge.isZero()
                && Duration.ofNanos(open.age(nanoTime.getAsLong())).compareTo(maxAge) >= 0;
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

    /** Forgets the segment that was given up, and deletes it where told to: failed copies must not fill the disk. */
    private void forgetSuperseded(boolean delete) {
        OpenSegment old = superseded;
        superseded = null;
        if (old != null && delete) {
            old.delete();
        }
    }

    /** The lock survives a loss of power before there is anything that a recovery would have to look for. */
    private Disk.Lock open(Disk disk) throws IOException {
        Path folder = own.path();
        disk.createFolder(folder);
        Disk.Lock taken = own.isTakenOver() || ended // then another may have gone on there
                ? disk.takeOver(folder, own.name()).orElseThrow(() -> new IOException("another writes in " + folder))
                : disk.lock(folder);
        try {
            disk.syncNames(folder);
            return taken;
        } catch (IOException e) {
            release(taken);
            throw e;
        }
    }

    private OpenSegment open() throws IOException {
        OpenSegment open = segment;
        if (open == null) {
            open = toGoOn ? goOn() : create();
            segment = open;
        }
        return open;
    }

    private OpenSegment goOn() throws IOException {
        toGoOn = false; // after a failure in the next one
        LineBuffer header = new LineBuffer();
        own.header(header);
        Segment left = new Segment(own.path(), number);
        long begun = nanoTime.getAsLong() - own.age().toNanos();
        settings.disk().syncNames(own.path()); // the lock, before there is anything to recover
        return OpenSegment.reopen(settings.disk(), left, own.size(), header, begun);
    }

    /** Makes the next segment. A name that something else has taken is passed over. */
    private OpenSegment create() throws IOException {
        LineBuffer header = new LineBuffer();
        own.header(header);
        while (true) {
            try {
                return OpenSegment.create(
                        settings.disk(), new Segment(own.path(), ++number), header, nanoTime.getAsLong());
            } catch (FileAlreadyExistsException e) {
                LOG.warn("{} is there and is not this writer's; it is passed over", e.getMessage());
            }
        }
    }

    private void writeSome(OpenSegment open, LineBuffer pending) throws IOException {
        int from = written;
        long room = Math.max(0, limit - open.size());
        int end = pending.lastLineEnd(from, (int) Math.min(pending.size(), from + room));
        if (end > from) {
            append(open, pending, end);
        } else if (!open.isFresh()) {
            rotate(open);
        } else if (limitMet) {
            throw new LineTooLargeException(from, pending.lineEnd(from));
        } else {
            append(open, pending, pending.lineEnd(from)); // longer than is wished for, and so alone
        }
    }

    private void append(OpenSegment open, LineBuffer pending, int end) throws IOException {
        try {
            open.append(pending.bytes(written, end));
            bytesWritten.addAndGet(end - written);
            written = end;
        } catch (IOException e) {
            if (DiskFault.of(e) == DiskFault.FILE_TOO_LARGE) {
                limit = open.size();
                limitMet = true;
            }
            throw e;
        }
    }

    /** Closes a segment that is long or old enough. */
    private void rotate(OpenSegment open) throws IOException {
        if (settings.fsync() != Fsync.NEVER) {
            open.sync();
        }
        open.check();
        open.close();
        segment = null;
        safe = written;
        runs.closed(open.segment().number());
        housekeeping.closed(open.segment());
    }

    /**
     * Makes sure of all that was written, which need not be kept any more, and then of the lines of ended runs: these never tell
     * of what is not there.
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
        forgetWritten();
        runsDue |= number > 1 && runs.forgetUpTo(housekeeping.deletedUpTo()); // only then any may have been deleted
        if (runsDue) {
            runsDue = !runs.commit(sync);
        }
    }

    private void forgetWritten() {
        written = 0;
        safe = 0;
    }

    /**
     * Gives the segment up after a failure, so that its lines are to be written again; gives the lock up only if others
     * no longer see it. Of the segments whose lines are all to be written again the fullest stays until that is done:
     * should the process be killed, they are in it.
     */
    void abandon() {
        OpenSegment open = segment;
        segment = null;
        written = safe;
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
        forgetWritten();
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
            ended = true;
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

    /** Returns the current time by the journal's clock. */
    Instant time() {
        return settings.clock().instant();
    }
}
