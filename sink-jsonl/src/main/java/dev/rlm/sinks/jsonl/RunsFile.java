package dev.rlm.sinks.jsonl;

import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.Disk;
import dev.rlm.journal.format.segment.LineBuffer;
import dev.rlm.journal.format.segment.NotRegularFileException;
import dev.rlm.journal.format.segment.TamperedException;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A writer's file of ended runs. It tells nothing that the events do not tell, so that a failure here holds up none of
 * them: its lines wait until the file can be rewritten, with the lines known to be in it and in place of the one that
 * failed.
 */
final class RunsFile implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.jsonl");
    private static final int MAX_WAITING = 4 << 20;
    private static final int COPIED_AT_ONCE = 64 << 10;

    private final Disk disk;
    private final Path folder;
    private final Path file;
    private final LongSupplier nanoTime;
    private final ExponentialBackoff backoff = new ExponentialBackoff();
    private final LineBuffer waiting = new LineBuffer();
    private Disk.@Nullable Output output;
    private final boolean isThere; // of the one that wrote here before
    private boolean made; // once
    private boolean named; // for good
    private long from; // where that begins which is to stay
    private long whole; // how far lines are known to be in the file
    private final TreeMap<Integer, Long> atClosing =
            new TreeMap<>(); // its length when each segment was closed, from the beginning of all
    private long forgotten; // of that length
    private boolean incomplete;

    RunsFile(Disk disk, OwnFolder own, LongSupplier nanoTime) {
        this.disk = disk;
        this.folder = own.path();
        this.isThere = own.isTakenOver();
        this.file = folder.resolve(JournalFolder.SUMMARIES);
        this.nanoTime = nanoTime;
    }

    /** Returns the buffer to append new lines to. */
    LineBuffer lines() {
        return waiting;
    }

    /** Notes that a segment was closed: the lines so far go with it and those before it. */
    void closed(int segment) {
        atClosing.put(segment, forgotten + whole - from);
    }

    /** Returns whether lines are missing in it: those that had to be given up, or that still wait. */
    boolean isIncomplete() {
        return incomplete || waiting.size() > 0;
    }

    /**
     * Writes what waits, as far as possible; returns whether nothing waits any more.
     *
     * @param sync whether it is to survive a loss of power, too
     */
    boolean commit(boolean sync) {
        if (backoff.isWaiting(nanoTime.getAsLong())) {
            return false;
        }
        for (int attempts = backoff.isFailing() ? 1 : 2; attempts > 0; attempts--) {
            try {
                put(sync);
                backoff.succeeded();
                return true;
            } catch (IOException e) {
                if (e instanceof TamperedException) {
                    LOG.warn("{}; it is rewritten with the lines known to be in it", e.getMessage());
                }
                abandon();
            }
        }
        backoff.failed(nanoTime.getAsLong());
        giveUpWhatIsTooMuch();
        return false;
    }

    private void put(boolean sync) throws IOException {
        Disk.Output open = open();
        if (waiting.size() > 0) {
            open.append(waiting.bytes(0, waiting.size()));
            if (sync) {
                open.sync();
            }
        }
        if (sync && !named) {
            disk.syncNames(folder);
            named = true;
        }
        open.check();
        whole += waiting.size();
        waiting.clear();
    }

    private void giveUpWhatIsTooMuch() {
        if (waiting.size() > MAX_WAITING) {
            giveUp();
        }
    }

    /** Gives up what waits: a recovery makes up for it, from the events. */
    void giveUp() {
        incomplete |= waiting.size() > 0;
        waiting.clear();
    }

    /** Makes a last attempt, where lines wait; else looks whether all are still there, and leaves what is not to a recovery. */
    void finish(boolean sync) {
        Disk.Output open = output;
        if (waiting.size() > 0) {
            backoff.succeeded();
            commit(sync);
        } else if (open != null) {
            try {
                open.check();
            } catch (IOException e) {
                LOG.warn("{}; a recovery makes up for it", e.getMessage());
                incomplete = true;
            }
        }
    }

    /** Takes away, at its beginning, what belongs to segments up to that number; returns whether there is any. */
    boolean forgetUpTo(int segment) {
        Map.Entry<Integer, Long> last = atClosing.floorEntry(segment);
        if (last == null) {
            return false;
        }
        long bytes = last.getValue() - forgotten;
        forgotten = last.getValue();
        atClosing.headMap(segment, true).clear();
        if (bytes > 0) {
            from = Math.min(from + bytes, whole);
            abandon();
        }
        return bytes > 0;
    }

    private Disk.Output open() throws IOException {
        Disk.Output open = output;
        if (open == null) {
            open = made ? rewrite() : isThere ? goOn() : disk.create(file);
            made = true;
            output = open;
        }
        return open;
    }

    /** Goes on with the lines that another has left, which are whole. */
    private Disk.Output goOn() throws IOException {
        whole = Files.size(file);
        return disk.reopen(file);
    }

    /**
     * Writes the file beside the old one and renames it: readers see the old one or the new one, and each line in it
     * once.
     */
    private Disk.Output rewrite() throws IOException {
        Path beside = file.resolveSibling(file.getFileName() + ".tmp");
        disk.delete(beside);
        Disk.Output rewritten = disk.create(beside);
        try {
            long copied = copyTo(rewritten);
            rewritten.sync();
            rewritten.rename(file);
            whole = copied; // also if its name is not safe yet: the next attempt reads this one
            from = 0;
            disk.syncNames(folder);
            named = true;
            return rewritten;
        } catch (IOException e) {
            rewritten.close();
            throw e;
        }
    }

    private long copyTo(Disk.Output rewritten) throws IOException {
        long copied = 0;
        try (InputStream old = disk.read(file)) {
            old.skipNBytes(from);
            byte[] bytes = old.readNBytes((int) Math.min(COPIED_AT_ONCE, whole - from));
            while (bytes.length > 0) {
                rewritten.append(ByteBuffer.wrap(bytes));
                copied += bytes.length;
                bytes = old.readNBytes((int) Math.min(COPIED_AT_ONCE, whole - from - copied));
            }
        } catch (NoSuchFileException | NotRegularFileException | EOFException e) {
            // taken away, replaced or cut from outside: the new file has what was read before
        }
        incomplete |= copied < whole - from;
        if (copied > 0 && copied < whole - from) {
            rewritten.append(ByteBuffer.wrap(new byte[] {'\n'})); // behind half a line, perhaps
            copied++;
        }
        return copied;
    }

    /** Gives the file up, but not its lines. */
    void abandon() {
        try {
            close();
        } catch (IOException e) {
            // what it stands for has failed already
        }
        output = null;
    }

    @Override
    public void close() throws IOException {
        if (output != null) {
            output.close();
        }
    }
}
