package dev.rlm.journal.format.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A writer's sign of life: a lock that the operating system takes away when the process ends, however it ends.
 *
 * <p>POSIX drops all of a process's locks on a file as soon as the process closes <em>any</em> handle to it. So this
 * process remembers which locks it holds, and never opens those files to see.
 */
public final class WriterLock implements Disk.Lock {
    public static final String FILE = "lock";

    private static final int LONGEST_NAME = 256;
    private static final Map<Path, String> HELD = new HashMap<>(); // by folder the holder's name; guarded by the class

    private final Path folder;
    private final LocalFile file;

    private WriterLock(Path folder, FileChannel channel) throws IOException {
        this.folder = folder;
        this.file = new LocalFile(folder.resolve(FILE), channel);
    }

    /** Takes the lock of a new folder. Waits for those who look whether it is held: they are gone at once. */
    public static WriterLock acquire(Path folder) throws IOException {
        synchronized (WriterLock.class) {
            Path real = folder.toRealPath();
            Path file = folder.resolve(FILE);
            if (PrivateFiles.isOther(file)) {
                Files.delete(file); // a name without content: of a folder that has some, it fails
            }
            FileChannel channel = PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            try {
                channel.lock();
                WriterLock lock = new WriterLock(real, channel);
                HELD.put(real, "");
                return lock;
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        }
    }

    /**
     * Takes the lock of a folder whose writer has ended well, for another that goes on there; does not wait. Empty where
     * somebody holds it or has left it, or the folder is gone. The file comes to its place locked and with its text, so that none takes its
     * holder for one that died.
     *
     * @param name of the new holder, which the lock's file tells: what else lies there is not its own
     */
    public static Optional<WriterLock> takeOver(Path folder, String name) throws IOException {
        synchronized (WriterLock.class) {
            Path real;
            try {
                real = folder.toRealPath();
            } catch (NoSuchFileException e) {
                return Optional.empty();
            }
            Path file = real.resolve(FILE);
            if (exists(real)) {
                return Optional.empty();
            }
            Path beside = real.resolve(FILE + "." + name.substring(name.lastIndexOf('-') + 1));
            FileChannel channel = PrivateFiles.open(beside, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            boolean taken = false;
            try {
                channel.lock();
                channel.write(ByteBuffer.wrap(name.getBytes(StandardCharsets.UTF_8)));
                channel.force(false);
                putInPlace(beside, file);
                WriterLock lock = new WriterLock(real, channel);
                HELD.put(real, name);
                taken = true;
                deleteUnplaced(real);
                return Optional.of(lock);
            } catch (FileAlreadyExistsException e) {
                return Optional.empty();
            } finally {
                if (!taken) {
                    channel.close();
                }
                Files.deleteIfExists(beside);
            }
        }
    }

    /** Deletes what is left of those that were killed before their locks came to their place; one that is at it finds this lock. */
    private static void deleteUnplaced(Path folder) throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, FILE + ".*")) {
            for (Path file : left) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Gives the file a name that no other has, at once; where there are no links, as nearly at once as can be. */
    private static void putInPlace(Path beside, Path file) throws IOException {
        try {
            Files.createLink(file, beside);
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (UnsupportedOperationException | FileSystemException e) {
            Files.move(beside, file);
        }
    }

    /**
     * Returns the name of the holder of a folder's lock, or of the one that left it; empty where all that lies there is
     * its own, where there is no lock, and on systems where a locked file cannot be read.
     */
    public static String holder(Path folder) {
        synchronized (WriterLock.class) {
            try {
                String own = HELD.get(folder.toRealPath());
                if (own != null) {
                    return own;
                }
                try (FileChannel channel = PrivateFiles.open(folder.resolve(FILE), StandardOpenOption.READ)) {
                    return name(channel);
                }
            } catch (IOException e) {
                return "";
            }
        }
    }

    /**
     * Takes the lock of a writer that died, for somebody who brings its record to an end; does not wait. Empty where the
     * writer lives or has ended well, or where another is at it, or the folder is gone; and now and then where somebody
     * just looks.
     */
    public static Optional<WriterLock> take(Path folder) throws IOException {
        synchronized (WriterLock.class) {
            try {
                Path real = folder.toRealPath();
                return HELD.containsKey(real) ? Optional.empty() : takeFree(real);
            } catch (NoSuchFileException e) {
                return Optional.empty();
            }
        }
    }

    private static Optional<WriterLock> takeFree(Path folder) throws IOException {
        FileChannel channel =
                PrivateFiles.open(folder.resolve(FILE), StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean taken = false;
        try {
            if (!isTaken(channel)) {
                return Optional.empty();
            }
            // A writer that ends well takes the file away while it holds the lock: then this is the lock of nothing,
            // and throws.
            WriterLock lock = new WriterLock(folder, channel);
            HELD.put(folder, name(channel));
            taken = true;
            return Optional.of(lock);
        } finally {
            if (!taken) {
                channel.close();
            }
        }
    }

    private static String name(FileChannel channel) throws IOException {
        int length = (int) Math.min(channel.size(), LONGEST_NAME);
        return new String(PrivateFiles.read(channel, 0, length), StandardCharsets.UTF_8);
    }

    /**
     * Returns whether something has the lock's name: a writer that has ended well leaves nothing. Anything but a
     * regular file cannot be taken, and no writer holds it.
     */
    public static boolean exists(Path folder) {
        return Files.exists(folder.resolve(FILE), LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean isTaken(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** Returns whether the writer of a folder lives, in this process or another; false if the folder is gone. */
    public static boolean isHeld(Path folder) throws IOException {
        synchronized (WriterLock.class) {
            try {
                return (!HELD.isEmpty() && HELD.containsKey(folder.toRealPath()))
                        || (PrivateFiles.isFile(folder.resolve(FILE)) && isHeldElsewhere(folder));
            } catch (NoSuchFileException e) {
                return false;
            }
        }
    }

    /** A shared lock needs no right to write. */
    private static boolean isHeldElsewhere(Path folder) throws IOException {
        try (FileChannel channel = PrivateFiles.open(folder.resolve(FILE), StandardOpenOption.READ);
                FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return lock == null;
        } catch (OverlappingFileLockException e) {
            return true;
        }
    }

    @Override
    public void check() throws IOException {
        var unused = file.current();
    }

    @Override
    public void remove() throws IOException {
        Files.deleteIfExists(folder.resolve(FILE));
    }

    @Override
    public void close() throws IOException {
        synchronized (WriterLock.class) {
            file.close();
            HELD.remove(folder);
        }
    }
}
