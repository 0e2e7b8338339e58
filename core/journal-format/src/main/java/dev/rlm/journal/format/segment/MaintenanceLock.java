package dev.rlm.journal.format.segment;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * A journal's lock for the rewriting of what its writers have left, by one process at a time; and locks of other work
 * that is done by one alone. The operating system takes a lock away when the process ends; its file stays, which says
 * nothing.
 */
public final class MaintenanceLock implements Closeable {
    private static final String FILE = "maintenance.lock";
    private static final Set<Path> HELD = new HashSet<>(); // guarded by the class, for the reason of WriterLock

    private final Path file;
    private final FileChannel channel;

    private MaintenanceLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Takes it; does not wait. Empty where another holds it. */
    public static Optional<MaintenanceLock> take(Path journal) throws IOException {
        return take(journal, FILE);
    }

    /**
     * Takes the lock of other work, in the same way.
     *
     * @param name of its file
     */
    public static Optional<MaintenanceLock> take(Path journal, String name) throws IOException {
        synchronized (MaintenanceLock.class) {
            Path real = journal.toRealPath().resolve(name);
            if (HELD.contains(real)) {
                return Optional.empty();
            }
            FileChannel channel = PrivateFiles.open(real, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
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
            HELD.remove(file);
        }
    }
}
