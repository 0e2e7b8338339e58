package dev.rlm.journal.format.segment;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A segment while it is written. Nothing more is done to it after a failure, but to close it: of a file that could not be
 * synced a second sync would report success for what was lost.
 */
public final class OpenSegment implements Closeable {
    private final Disk disk;
    private final Segment segment;
    private final Disk.Output output;
    private final long openedAt;
    private long size;
    private boolean hasLines; // that went in whole, behind the header
    private boolean namesSynced;
    private boolean needed; // some of what is in it lies nowhere else

    private OpenSegment(Disk disk, Segment segment, Disk.Output output, long openedAt) {
        this.disk = disk;
        this.segment = segment;
        this.output = output;
        this.openedAt = openedAt;
    }

    /** Makes the file and writes its first line. */
    public static OpenSegment create(Disk disk, Segment segment, LineBuffer header, long nanoTime) throws IOException {
        OpenSegment open = new OpenSegment(disk, segment, disk.create(segment.plain()), nanoTime);
        try {
            open.write(header.bytes(0, header.size()));
            return open;
        } catch (IOException e) {
            open.abandon();
            throw e;
        }
    }

    /**
     * Opens a file that another has written, and writes a line behind the last one.
     *
     * @param size of what is there
     * @param openedAt when it was made, by the same clock as {@link #age}
     */
    public static OpenSegment reopen(Disk disk, Segment segment, long size, LineBuffer header, long openedAt)
            throws IOException {
        OpenSegment open = new OpenSegment(disk, segment, disk.reopen(segment.plain()), openedAt);
        open.size = size;
        open.hasLines = true;
        open.namesSynced = true;
        open.needed = true; // the lines of the other
        try {
            open.write(header.bytes(0, header.size()));
            return open;
        } catch (IOException e) {
            open.abandon();
            throw e;
        }
    }

    public Segment segment() {
        return segment;
    }

    /** Returns the number of bytes written, those of lines that did not go in whole included. */
    public long size() {
        return size;
    }

    /** Returns whether no line went in whole but the first. */
    public boolean isFresh() {
        return !hasLines;
    }

    /** Returns for how many nanoseconds it has been open. */
    public long age(long nanoTime) {
        return nanoTime - openedAt;
    }

    /** Writes whole lines. */
    public void append(ByteBuffer lines) throws IOException {
        write(lines);
        hasLines = true;
    }

    private void write(ByteBuffer bytes) throws IOException {
        int before = bytes.position();
        try {
            output.append(bytes);
        } finally {
            size += bytes.position() - before;
        }
    }

    /** Makes what was written survive a loss of power. */
    public void sync() throws IOException {
        output.sync();
        if (!namesSynced) {
            disk.syncNames(segment.folder());
            namesSynced = true;
        }
    }

    /** Its lines so far will not be written again. */
    public void keep() {
        needed |= hasLines;
    }

    /** Returns whether all that is in it is written again elsewhere, should it be given up. */
    public boolean isSuperfluous() {
        return !needed;
    }

    /** Takes the file away, as well as that can be done. */
    public void delete() {
        try {
            disk.delete(segment.plain());
        } catch (IOException e) {
            // it stays, and repeats what is written elsewhere
        }
    }

    /**
     * Looks whether it still lies there as it was written. If not, what lies there is no longer this writer's to delete.
     *
     * @throws TamperedException if not
     */
    public void check() throws IOException {
        try {
            output.check();
        } catch (TamperedException e) {
            needed = true;
            throw e;
        }
    }

    /** Gives it up after a failure. One in which no line is whole is taken away: a full disk must not fill with beginnings. */
    public void abandon() {
        try {
            close();
            if (!hasLines) {
                disk.delete(segment.plain());
            }
        } catch (IOException e) {
            // what it stands for has failed already, and was said
        }
    }

    @Override
    public void close() throws IOException {
        output.close();
    }
}
