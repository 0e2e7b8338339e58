package dev.rlm.sinks.jsonl;

import dev.rlm.journal.format.ArtifactFiles;
import dev.rlm.journal.format.segment.Disk;
import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.ArtifactSavedBuilder;
import dev.rlm.sinks.event.FileContent;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that a writer keeps for its runs, ({@link ArtifactFiles}), each once and named by the SHA-256 of its bytes.
 * One goes when the last segment goes that may name it. Safe for use by several threads.
 */
final class Artifacts {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.jsonl");
    private static final int UNACKNOWLEDGED = Integer.MAX_VALUE;

    private final JournalSettings settings;
    private final Path folder;
    private final Map<String, Integer> segments = new HashMap<>(); // the last that may name each file
    private final List<String> unacknowledged = new ArrayList<>();
    private final Map<String, Object> counts = new TreeMap<>();
    private volatile Map<String, Object> facts = Map.of(); // read by those who must not wait

    Artifacts(JournalSettings settings, OwnFolder own) {
        this.settings = settings;
        this.folder = own.path().resolve(ArtifactFiles.FOLDER);
        if (own.isTakenOver()) {
            try {
                ArtifactFiles.hashes(own.path()).forEach(hash -> segments.put(hash, 1));
            } catch (IOException e) {
                LOG.debug("the files in {} stay as long as their folder", folder, e);
            }
        }
    }

    /**
     * Keeps the event's file, synced, and returns the event as it is then to be recorded: with the place, or with the reason
     * why there is none.
     *
     * @param begin makes the writer's folder
     */
    synchronized ArtifactSaved keep(ArtifactSaved event, Beginning begin) {
        FileContent content = event.content();
        if (content == null || content.absence() != null) {
            return counted(event);
        }
        String hash = content.sha256();
        try {
            begin.run();
            if (!segments.containsKey(hash) || !isThere(hash)) {
                write(hash, content.bytes());
            }
            segments.put(hash, UNACKNOWLEDGED);
            unacknowledged.add(hash);
            count("artifacts", 1);
            return ArtifactSavedBuilder.builder(event)
                    .path(ArtifactFiles.FOLDER + "/" + hash)
                    .build();
        } catch (IOException e) {
            if (!counts.containsKey("artifacts_" + DiskFault.of(e).label())) {
                LOG.warn("a file cannot be kept in {}: {}; its name, size and hash are", folder, e.toString());
            }
            return counted(ArtifactSavedBuilder.builder(event)
                    .absence(DiskFault.of(e).label())
                    .build());
        }
    }

    private ArtifactSaved counted(ArtifactSaved event) {
        if (event.absence() != null) {
            count("artifacts_" + event.absence(), 1);
        }
        return event;
    }

    private void count(String name, long more) {
        counts.merge(name, more, (one, other) -> (Long) one + (Long) other);
        facts = Map.copyOf(counts);
    }

    private boolean isThere(String hash) throws IOException {
        try (InputStream found = settings.disk().read(folder.resolve(hash))) {
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private void write(String hash, ByteBuffer content) throws IOException {
        Disk disk = settings.disk();
        Path unfinished = folder.resolve(hash + ".tmp");
        disk.createFolder(folder);
        disk.delete(unfinished);
        int size = content.remaining();
        try (Disk.Output file = disk.create(unfinished)) {
            file.append(content);
            if (settings.fsync() != Fsync.NEVER) {
                file.sync();
            }
            file.rename(folder.resolve(hash));
        } catch (IOException e) {
            disk.delete(unfinished);
            throw e;
        }
        if (settings.fsync() != Fsync.NEVER) {
            disk.syncNames(folder);
        }
        count("artifact_bytes", size);
    }

    /** All events so far are in segments up to that one. */
    synchronized void acknowledged(int segment) {
        unacknowledged.forEach(hash -> segments.put(hash, segment));
        unacknowledged.clear();
    }

    /** Deletes the files that no segment behind that one names; how many bytes that freed. */
    synchronized long deleteUpTo(int segment) throws IOException {
        long freed = 0;
        for (Iterator<Map.Entry<String, Integer>> each = segments.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<String, Integer> file = each.next();
            if (file.getValue() <= segment) {
                freed += PrivateFiles.delete(folder.resolve(file.getKey()));
                each.remove();
            }
        }
        return freed;
    }

    /** Returns how many were kept, in how many bytes that are not there twice, and how many were not, by reason. On any thread. */
    Map<String, Object> facts() {
        return facts;
    }

    /** Makes the folder that the files' folder lies in. */
    @FunctionalInterface
    interface Beginning {
        void run() throws IOException;
    }
}
