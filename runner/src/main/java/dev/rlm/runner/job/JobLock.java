package dev.rlm.runner.job;

import dev.rlm.journal.JournalException;
import dev.rlm.journal.format.segment.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The sign that a process goes on with a job, which the operating system takes away when the process ends. It is a lock on
 * one byte of a file that all jobs of a journal share, each its own: a file that is never deleted has no moment at which
 * two could hold it. A process keeps that file open: closing it once would end all locks that the process has in it.
 */
public final class JobLock implements AutoCloseable {
    private static final String FILE = "resume.lock";
    private static final long PLACES = Long.MAX_VALUE;
    private static final Map<Path, FileChannel> FILES = new HashMap<>(); // guarded by itself

    private final FileLock lock;

    private JobLock(FileLock lock) {
        this.lock = lock;
    }

    /** Takes the job. Returns none where another process, or another thread, has it. */
    static Optional<JobLock> take(Path journal, String invocation) {
        try {
            FileLock lock = file(journal.resolve(FILE)).tryLock(place(invocation), 1, false);
            return Optional.ofNullable(lock).map(JobLock::new);
        } catch (OverlappingFileLockException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new JournalException("the job cannot be locked in " + journal + ": " + e, e);
        }
    }

    private static FileChannel file(Path path) throws IOException {
        Path known = path.toAbsolutePath().normalize();
        synchronized (FILES) {
            FileChannel file = FILES.get(known);
            if (file == null || !PrivateFiles.isFile(known)) { // that of a journal which was deleted
                file = PrivateFiles.open(known, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FILES.put(known, file);
            }
            return file;
        }
    }

    private static long place(String invocation) {
        long mixed = 1;
        for (int i = 0; i < invocation.length(); i++) {
            mixed = mixed * 1_000_003 + invocation.charAt(i);
        }
        return Math.floorMod(mixed, PLACES);
    }

    @Override
    public void close() {
        try {
            lock.release();
        } catch (IOException e) {
            // the lock goes with the process at the latest
        }
    }
}
