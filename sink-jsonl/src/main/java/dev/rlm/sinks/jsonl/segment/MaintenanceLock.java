package dev.rlm.sinks.jsonl.segment;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * A journal's lock for who rewrites what its writers have left: one at a time. The operating system takes it away when the
 * process ends; its file stays, which says nothing.
 */
public final class MaintenanceLock implements Closeable {
    private static final String FILE = "maintenance.lock";
    private static final Set<Path> HELD = new HashSet<>(); // guarded by the class, for the reason of WriterLock

    private final Path journal;
    private final FileChannel channel;

    private MaintenanceLock(Path journal, FileChannel channel) {
        this.journal = journal;
        this.channel = channel;
    }

    /** Takes it; does not wait. Empty where another holds it. */
    public static Optional<MaintenanceLock> take(Path journal) throws IOException {
        synchronized (MaintenanceLock.class) {
            Path real = journal.toRealPath();
            if (HELD.contains(real)) {
                return Optional.empty();
            }
            FileChannel channel =
                    PrivateFiles.open(real.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            boolean taken = false;
            try {
                taken = channel.tryLock() != null && HELD.add(real);
                return taken ? Optional.of(new MaintenanceLock(real, channel)) : Optional.empty();
            } finally {
                if (!taken) {
                    channel.close();
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (MaintenanceLock.class) {
            channel.close();
            HELD.remove(journal);
        }
    }
}
