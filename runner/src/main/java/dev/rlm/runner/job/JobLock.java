package dev.rlm.runner.job;

import dev.rlm.sinks.jsonl.JournalException;
import dev.rlm.sinks.jsonl.segment.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * The sign that a process goes on with a job, which the operating system takes away when the process ends. It is a lock on
 * one byte of a file that all jobs of a journal share, each its own: a file that nobody ever deletes has no moment at which
 * two could hold it.
 */
public final class JobLock implements AutoCloseable {
    private static final String FILE = "resume.lock";
    private static final long PLACES = Long.MAX_VALUE;

    private final FileChannel channel;

    private JobLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Takes the job. Returns none where another process, or another thread, has it. */
    static Optional<JobLock> take(Path journal, String invocation) {
        try {
            FileChannel channel =
                    PrivateFiles.open(journal.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (isTaken(channel, place(invocation))) {
                return Optional.of(new JobLock(channel));
            }
            channel.close();
            return Optional.empty();
        } catch (IOException e) {
            throw new JournalException("the job cannot be locked in " + journal + ": " + e, e);
        }
    }

    private static boolean isTaken(FileChannel channel, long place) throws IOException {
        try {
            return channel.tryLock(place, 1, false) != null;
        } catch (OverlappingFileLockException e) {
            return false;
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
            channel.close();
        } catch (IOException e) {
            // the lock goes with the process at the latest
        }
    }
}
