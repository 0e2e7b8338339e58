package dev.rlm.journal.exchange;

import dev.rlm.sinks.jsonl.segment.PrivateFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file under a name that says whose it is, until it is moved to its place. It is locked while it is written: the operating
 * system takes the lock away when the process ends, however it ends, and the next export removes the file.
 */
final class TemporaryFile implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(TemporaryFile.class);

    /** Tells the files of this process from others: to open one of its own again would give up its lock. */
    private static final String PROCESS = random();

    private static final Pattern NAME = Pattern.compile("\\.rlm-export-([0-9a-f]{16})-[0-9a-f]{16}\\.tmp");

    private final Path path;
    private final FileChannel channel;

    private TemporaryFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /** Makes one in the folder, for its owner alone. */
    static TemporaryFile create(Path folder) throws IOException {
        while (true) {
            Path path = folder.resolve(".rlm-export-" + PROCESS + "-" + random() + ".tmp");
            FileChannel channel = PrivateFiles.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            if (lock(channel) && Files.exists(path)) {
                return new TemporaryFile(path, channel);
            }
            channel.close(); // another export has taken it for a leftover
        }
    }

    private static String random() {
        return String.format("%016x", ThreadLocalRandom.current().nextLong());
    }

    /** Returns whether the file is this process's now, which it is too where the file system knows no locks. */
    private static boolean lock(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (IOException e) {
            LOG.debug("there are no locks here", e);
            return true;
        }
    }

    /** Removes from the folder what was left there by processes that are gone, as far as that can be told. */
    static void removeLeftovers(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> leftovers = files.filter(TemporaryFile::mayBeLeft).toList();
            leftovers.forEach(TemporaryFile::removeIfLeft);
        } catch (IOException e) {
            LOG.debug("{} cannot be looked through", folder, e);
        }
    }

    private static boolean mayBeLeft(Path file) {
        Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
        return name.matches() && !name.group(1).equals(PROCESS) && PrivateFiles.isFile(file);
    }

    private static void removeIfLeft(Path file) {
        try (FileChannel channel = PrivateFiles.open(file, StandardOpenOption.WRITE)) {
            if (channel.tryLock() != null) {
                Files.deleteIfExists(file); // while it is locked: who has just made it makes another
            }
        } catch (IOException | OverlappingFileLockException e) {
            LOG.debug("{} is left where it is", file, e);
        }
    }

    FileChannel channel() {
        return channel;
    }

    /** Moves it to its place, over what stands there. It stays locked until it is closed. */
    void moveTo(Path place) throws IOException {
        Files.move(path, place, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Closes it, and removes it unless it has been moved. */
    @Override
    public void close() throws IOException {
        Files.deleteIfExists(path);
        channel.close();
    }
}
