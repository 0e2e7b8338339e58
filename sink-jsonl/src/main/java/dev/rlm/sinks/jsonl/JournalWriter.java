package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.jsonl.segment.LineBuffer;
import dev.rlm.sinks.jsonl.segment.PrivateFiles;
import dev.rlm.sinks.jsonl.segment.Segment;
import dev.rlm.sinks.jsonl.segment.WriterLock;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A writer's folder: its lock and its files. Nothing is made before something is written. A lock that is left there by
 * nobody tells that its writer died, or that it knows of something that is missing; one that ends well takes it away.
 *
 * <p>After a failure to write or to sync a file nothing is known of it (a second sync would report success for what was
 * lost), so that writing goes on in the next one.
 */
final class JournalWriter {
    static final String SCHEMA = "rlm.journal";
    static final int SCHEMA_VERSION = 1;
    static final String JOURNAL = "journal";

    private final Path folder;
    private @Nullable WriterLock lock;
    private @Nullable OpenFiles files;
    private int number = 1;
    private long summariesSize; // of what is whole

    JournalWriter(Path folder) {
        this.folder = folder;
    }

    /** The first line of each file of events. */
    static void header(LineBuffer lines) {
        JsonLine.append(
                lines, line -> line.put("type", JOURNAL).put("schema", SCHEMA).put("version", SCHEMA_VERSION));
    }

    Path folder() {
        return folder;
    }

    /** Moves the lines into the files. */
    void write(LineBuffer events, LineBuffer summaries) throws IOException {
        if (lock == null) {
            PrivateFiles.createFolder(folder);
            lock = WriterLock.acquire(folder);
        }
        if (files == null) {
            files = OpenFiles.open(folder, number, summariesSize);
        }
        int more = summaries.size();
        files.write(events, summaries);
        summariesSize += more;
    }

    /** Makes what was written survive a loss of power. */
    void sync() throws IOException {
        if (files != null) {
            files.sync();
        }
    }

    /** Gives the files up after a failure. */
    void abandon() {
        if (files != null) {
            files.abandon();
            files = null;
            number++;
        }
    }

    /**
     * Ends it; a second time does nothing.
     *
     * @param complete whether nothing is missing: no run's end, and no event
     */
    void close(boolean complete) throws IOException {
        try (WriterLock held = lock) {
            OpenFiles open = files;
            lock = null;
            files = null;
            if (open != null) {
                open.close();
            }
            if (held != null && complete) {
                held.remove();
            }
        }
    }

    /** The two files that a writer appends to. */
    private static final class OpenFiles implements Closeable {
        private final Path eventsFile;
        private final FileChannel events;
        private final FileChannel summaries;
        private boolean written;
        private boolean summariesDirty;
        private boolean namesSynced;

        private OpenFiles(Path eventsFile, FileChannel events, FileChannel summaries) {
            this.eventsFile = eventsFile;
            this.events = events;
            this.summaries = summaries;
        }

        /** Opens a new file for events, and cuts the other to its size, in case a failure left half a line. */
        static OpenFiles open(Path folder, int number, long summariesSize) throws IOException {
            FileChannel summaries = PrivateFiles.open(
                    folder.resolve(JournalFolder.SUMMARIES), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            try {
                summaries.truncate(summariesSize).position(summariesSize);
                Path file = new Segment(folder, number).plain();
                FileChannel events = PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                return new OpenFiles(file, events, summaries);
            } catch (IOException e) {
                summaries.close();
                throw e;
            }
        }

        void write(LineBuffer eventLines, LineBuffer summaryLines) throws IOException {
            if (!written) {
                LineBuffer header = new LineBuffer();
                header(header);
                header.writeTo(events);
            }
            eventLines.writeTo(events);
            written = true;
            summariesDirty |= summaryLines.size() > 0;
            summaryLines.writeTo(summaries);
        }

        void sync() throws IOException {
            events.force(false);
            if (summariesDirty) {
                summaries.force(false);
                summariesDirty = false;
            }
            if (!namesSynced) {
                PrivateFiles.syncNames(eventsFile);
                namesSynced = true;
            }
        }

        /** A file into which nothing went whole is taken away: a full disk must not fill with beginnings. */
        void abandon() {
            try {
                close();
                if (!written) {
                    Files.deleteIfExists(eventsFile);
                }
            } catch (IOException e) {
                // what it stands for has failed already, and was said
            }
        }

        @Override
        public void close() throws IOException {
            try (summaries) {
                events.close();
            }
        }
    }
}
